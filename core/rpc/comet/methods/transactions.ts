/** Submission and lookup of transactions. */

import { type Bytes, toUpperHex } from '../../../lib/bytes.ts';
import type { SubmitResult } from '../../../types/submit.ts';
import type { RpcContext } from '../../context.ts';
import { serverError } from '../../rpcError.ts';
import { broadcastCommit } from '../broadcastCommit.ts';
import { type CometMethod, method } from '../method.ts';
import { refusalText } from '../refusal.ts';
import { checkJson, txJson } from '../txJson.ts';

type Checked = Extract<SubmitResult, { kind: 'checked' }>;

function checkedOrThrow(answer: SubmitResult): Checked {
  if (answer.kind === 'refused') throw serverError(refusalText(answer.refusal));
  return answer;
}

/** Reports an immediate refusal by the mempool, but does not wait for CheckTx of the application. */
async function broadcastAsync(ctx: RpcContext, tx: Bytes) {
  const later = ctx.pause?.() ?? Promise.resolve();
  const answer = await Promise.race([ctx.submit(tx), later.then(() => undefined)]);
  if (answer !== undefined) checkedOrThrow(answer);
  return accepted(ctx.suite.sha256(tx));
}

const accepted = (hash: Bytes) => ({ code: 0, data: '', log: '', codespace: '', hash: toUpperHex(hash) });

const noIndex = (ctx: RpcContext): boolean => ctx.indexing?.kind === 'null';

function txAnswer(ctx: RpcContext, hash: Bytes, prove: boolean) {
  if (noIndex(ctx)) throw serverError('transaction indexing is disabled');
  if (hash.length === 0) throw serverError('transaction hash cannot be empty');
  const location = hash.length === 32 ? ctx.chain.txLocation(hash) : undefined;
  const found = location === undefined ? undefined : txJson(ctx, location, prove);
  if (found === undefined) throw serverError(`tx (${toUpperHex(hash)}) not found`);
  return found;
}

export const transactionMethods: readonly CometMethod[] = [
  method({
    method: 'broadcast_tx_sync',
    args: { tx: 'tx' },
    doc: 'Submits a transaction; answers with the verdict of CheckTx.',
    run: async (ctx, { tx }) => {
      const { hash, result } = checkedOrThrow(await ctx.submit(tx));
      if (result.kind === 'accepted') return accepted(hash);
      const { code, log, codespace } = result;
      return { code, data: '', log, codespace, hash: toUpperHex(hash) };
    },
  }),
  method({
    method: 'broadcast_tx_async',
    args: { tx: 'tx' },
    doc: 'Submits a transaction without waiting for CheckTx; what the pool refuses by itself is told.',
    run: (ctx, { tx }) => broadcastAsync(ctx, tx),
  }),
  method({
    method: 'broadcast_tx_commit',
    args: { tx: 'tx' },
    doc: 'Submits a transaction and waits for its block. For tests: a subscription serves better.',
    run: (ctx, { tx }) => broadcastCommit(ctx, tx),
  }),
  method({
    method: 'check_tx',
    args: { tx: 'tx' },
    doc: 'The verdict of CheckTx; the pool does not hear of the transaction.',
    run: async (ctx, { tx }) => {
      const check = ctx.checkTx;
      if (check === undefined) throw serverError('CheckTx is not served by this node');
      return checkJson(await check(tx));
    },
  }),
  method({
    method: 'tx',
    args: { hash: 'bytes', prove: 'bool' },
    caching: 'always',
    doc: 'A committed transaction by the sha256 of its bytes.',
    run: (ctx, { hash, prove }) => txAnswer(ctx, hash, prove),
  }),
];
