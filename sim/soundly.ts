import { StorageFault } from '../core/lib/storageFault.ts';
import type { Process } from './machine/process.ts';

/** Whether the error comes from a damaged disk. */
export const isRefusal = (node: Process | undefined, error: unknown): boolean =>
  error instanceof StorageFault && node?.disk.isDamaged === true;

/**
 * Reads from a node's stores; undefined when its damaged disk refuses. The node may refuse an answer then, but not give
 * a wrong one.
 */
export function soundly<T>(node: Process | undefined, read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (isRefusal(node, error)) return undefined;
    throw error;
  }
}
