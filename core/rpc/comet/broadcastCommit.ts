import { txResultJson } from '../../codec/json.ts';
import { type Bytes, equalBytes, toUpperHex } from '../../lib/bytes.ts';
import type { Height } from '../../types/ids.ts';
import type { TxResult } from '../../types/result.ts';
import type { RpcContext } from '../context.ts';
import { serverError } from '../rpcError.ts';
import { cometFeed } from './feed.ts';
import { cometLimits } from './limits.ts';
import { refusalText } from './refusal.ts';
import { checkJson, NO_RESULT } from './txJson.ts';

interface Included {
  readonly height: Height;
  readonly result: TxResult;
}

/** Waits for the block that contains the transaction; undefined on timeout. `stop` ends the wait. */
function inclusionOf(
  ctx: RpcContext,
  tx: Bytes,
): { readonly found: Promise<Included | undefined>; stop(): void } {
  let resolve: (found: Included | undefined) => void = () => {};
  const found = new Promise<Included | undefined>((settle) => {
    resolve = settle;
  });
  const stopListening = ctx.hub.listen((event) => {
    if (event.kind !== 'committed') return;
    const index = event.block.txs.findIndex((other) => equalBytes(other, tx));
    const result = event.results.txResults[index];
    if (result !== undefined) resolve({ height: event.block.header.height, result });
  });
  const cancel = ctx.after?.(cometLimits(ctx).broadcastCommitTimeoutMs, () => resolve(undefined));
  return {
    found,
    stop() {
      stopListening();
      cancel?.();
    },
  };
}

/** broadcast_tx_commit. While it waits, the call counts as a subscribed client. */
export async function broadcastCommit(ctx: RpcContext, tx: Bytes) {
  const feed = cometFeed(ctx);
  const { subscriptionClientsMax } = cometLimits(ctx);
  if (feed.size >= subscriptionClientsMax)
    throw serverError(`max_subscription_clients ${subscriptionClientsMax} reached`);
  const waiting = inclusionOf(ctx, tx);
  feed.join(waiting);
  try {
    const answer = await ctx.submit(tx);
    if (answer.kind === 'refused')
      throw serverError(`error on broadcastTxCommit: ${refusalText(answer.refusal)}`);
    const check = { check_tx: checkJson(answer.result), hash: toUpperHex(answer.hash) };
    if (answer.result.kind === 'rejected')
      return { ...check, tx_result: txResultJson(NO_RESULT), height: '0' };
    const included = await waiting.found;
    if (included === undefined) throw serverError('timed out waiting for tx to be included in a block');
    return { ...check, tx_result: txResultJson(included.result), height: String(included.height) };
  } finally {
    waiting.stop();
    feed.leave(waiting);
  }
}
