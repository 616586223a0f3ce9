import { type Bytes, hex } from '../../lib/bytes.ts';
import { formatDuration } from '../../lib/duration.ts';
import type { RpcContext } from '../context.ts';
import { CODES, RpcError, serverError } from '../rpcError.ts';
import { receiptJson } from './render.ts';
import { sendRaw } from './submit.ts';
import { minedTx } from './transactions.ts';

/** geth's txSyncDefaultTimeout and txSyncMaxTimeout. */
const DEFAULT_TIMEOUT_MS = 20_000;
const TIMEOUT_MS_MAX = 60_000;
/** Maximum requests that wait at the same time, per node. */
const WAITING_MAX = 1024;

const waiting = new WeakMap<RpcContext, { count: number }>();

/** eth_sendRawTransactionSync (EIP-7966): the receipt, or error code 4 if no block includes the transaction in time. */
export async function sendRawSync(
  ctx: RpcContext,
  raw: Bytes,
  timeoutMs: bigint | undefined,
): Promise<unknown> {
  const seats = waiting.get(ctx) ?? { count: 0 };
  waiting.set(ctx, seats);
  if (seats.count >= WAITING_MAX) throw serverError('too many requests wait for their transactions');
  seats.count++;
  try {
    const text = await sendRaw(ctx, raw);
    const asked = timeoutMs === undefined || timeoutMs === 0n ? DEFAULT_TIMEOUT_MS : Number(timeoutMs);
    return await receiptWithin(ctx, text, Math.min(asked, TIMEOUT_MS_MAX));
  } finally {
    seats.count--;
  }
}

function receiptWithin(ctx: RpcContext, text: string, ms: number): Promise<unknown> {
  const hash = hex(text.slice(2));
  const receipt = (): unknown => {
    const mined = minedTx(ctx, hash);
    return mined === undefined ? undefined : receiptJson(mined.block, mined.index);
  };
  const found = receipt();
  if (found !== undefined) return Promise.resolve(found);
  return new Promise((resolve, reject) => {
    const unlisten = ctx.hub.listen((event) => {
      const made = event.kind === 'committed' ? receipt() : undefined;
      if (made === undefined) return;
      cancel?.();
      unlisten();
      resolve(made);
    });
    const message = `The transaction was added to the transaction pool but wasn't processed in ${formatDuration(ms)}`;
    const cancel = ctx.after?.(ms, () => {
      unlisten();
      reject(new RpcError(CODES.notIncluded, message, text));
    });
  });
}
