import { StorageFault } from '../core/lib/storageFault.ts';
import type { Process } from './machine/process.ts';

/** Whether a broken drive is the reason. */
export const isRefusal = (node: Process | undefined, error: unknown): boolean =>
  error instanceof StorageFault && node?.disk.isDamaged === true;

/** What somebody reads in a node's stores; undefined when its broken drive refuses. It may refuse an answer, but not give a wrong one. */
export function soundly<T>(node: Process | undefined, read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (isRefusal(node, error)) return undefined;
    throw error;
  }
}
