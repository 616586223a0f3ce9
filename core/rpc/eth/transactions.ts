import type { EthBlock } from '../../app/chain.ts';
import type { Hash } from '../../types/ids.ts';
import type { RpcContext } from '../context.ts';
import { minedTxJson, pendingTxJson } from './render.ts';

/** Block and index of a committed Ethereum transaction. */
export function minedTx(
  ctx: RpcContext,
  hash: Hash,
): { readonly block: EthBlock; readonly index: number } | undefined {
  const location = ctx.chain.ethTxLocation(hash);
  if (location?.ethIndex === undefined) return undefined;
  const block = ctx.chain.ethBlock(location.height);
  return block === undefined ? undefined : { block, index: location.ethIndex };
}

/** The transaction as committed, else as pooled; null if unknown. */
export function shownTx(ctx: RpcContext, hash: Hash): Record<string, unknown> | null {
  const mined = minedTx(ctx, hash);
  if (mined !== undefined) return minedTxJson(mined.block, mined.index);
  const waiting = ctx.pool.byEthHash(hash);
  return waiting === undefined ? null : pendingTxJson(waiting);
}
