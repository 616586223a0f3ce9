import type { RpcContext } from '../../core/rpc/context.ts';
import type { Process } from '../machine/process.ts';

/** The least time between two looks at one node's pool. */
const LOOK_MICROS = 250_000;

/**
 * The node's RPC context if its pool can be judged now. Not if the last look was just before, the node is between two
 * states, its disk is damaged, or it is emptying its pool.
 */
export function settledPool(process: Process, gapMicros: number): RpcContext | undefined {
  const { node, state, disk, isFlushing } = process;
  const rpc = node?.rpc;
  if (rpc === undefined || state !== 'up' || disk.isDamaged || isFlushing || gapMicros < LOOK_MICROS)
    return undefined;
  // Between a commit and the node's own step after it the pool still belongs to the state before.
  return node?.rs()?.height === rpc.chain.head() + 1 ? rpc : undefined;
}
