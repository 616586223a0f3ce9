import type { RpcContext } from '../../core/rpc/context.ts';
import type { Process } from '../machine/process.ts';

/** Looks at one node's pool are so far apart. */
const LOOK_MICROS = 250_000;

/**
 * For a look at the node's pool, unless the last was just before, the node is between two states or on a broken drive, or is
 * emptying it.
 */
export function settledPool(process: Process, gapMicros: number): RpcContext | undefined {
  const { node, state, disk, isFlushing } = process;
  const rpc = node?.rpc;
  if (rpc === undefined || state !== 'up' || disk.isDamaged || isFlushing || gapMicros < LOOK_MICROS)
    return undefined;
  // Between a commit and the node's own step after it the pool is still that of before.
  return node?.rs()?.height === rpc.chain.head() + 1 ? rpc : undefined;
}
