import type { RpcContext } from '../../core/rpc/context.ts';
import type { Process } from '../machine/process.ts';

/** Looks at one node's pool are so far apart. */
const LOOK_MICROS = 250_000;

/** For a look at the node's pool, unless the last was just before, or the node is between two states or on a broken drive. */
export function settledPool({ node, state, disk }: Process, gapMicros: number): RpcContext | undefined {
  const rpc = node?.rpc;
  if (rpc === undefined || state !== 'up' || disk.isDamaged || gapMicros < LOOK_MICROS) return undefined;
  // Between a commit and the node's own step after it the pool is still that of before.
  return node?.rs()?.height === rpc.chain.head() + 1 ? rpc : undefined;
}
