/** Submission and look-up of transactions. */

import { txHash } from '../../../codec/hashes.ts';
import { proofJson, txResultJson } from '../../../codec/json.ts';
import { merkleProofs } from '../../../crypto/merkle.ts';
import { unreachable } from '../../../lib/assert.ts';
import { toBase64 } from '../../../lib/base64.ts';
import { type Bytes, toUpperHex } from '../../../lib/bytes.ts';
import type { Block, Proof } from '../../../types/block.ts';
import type { MempoolRefusal, SubmitResult } from '../../../types/submit.ts';
import type { RpcContext } from '../../context.ts';
import { serverError } from '../../rpcError.ts';
import { type CometMethod, method } from '../method.ts';

/** Texts of reference §5.5; what the pool adds to CometBFT's rules keeps its own words. */
function refusalText(refusal: MempoolRefusal): string {
  switch (refusal.code) {
    case 'in-cache':
    case 'already-known':
      return 'tx already exists in cache';
    case 'full': {
      const { txs, txsMax, bytes, bytesMax } = refusal;
      return `mempool is full: number of txs ${txs} (max: ${txsMax}), total txs bytes ${bytes} (max: ${bytesMax})`;
    }
    case 'too-large':
      return `Tx too large. Max size is ${refusal.bytesMax}, but got ${refusal.bytes}`;
    case 'replacement-underpriced':
      return 'replacement transaction underpriced';
    case 'lane-full':
      return refusal.message;
    default:
      return unreachable(refusal);
  }
}

async function submitted(ctx: RpcContext, tx: Bytes): Promise<Extract<SubmitResult, { kind: 'checked' }>> {
  const answer = await ctx.submit(tx);
  if (answer.kind === 'refused') throw serverError(refusalText(answer.refusal));
  return answer;
}

const accepted = (hash: Bytes) => ({ code: 0, data: '', log: '', codespace: '', hash: toUpperHex(hash) });

function txAnswer(ctx: RpcContext, hash: Bytes, prove: boolean) {
  const location = hash.length === 32 ? ctx.chain.txLocation(hash) : undefined;
  const block = location === undefined ? undefined : ctx.chain.block(location.height);
  const result = location === undefined ? undefined : ctx.chain.txResult(location);
  const tx = location === undefined ? undefined : block?.txs[location.index];
  if (location === undefined || block === undefined || result === undefined || tx === undefined) {
    throw serverError(`tx (${toUpperHex(hash)}) not found`);
  }
  return {
    hash: toUpperHex(hash),
    height: String(location.height),
    index: location.index,
    tx_result: txResultJson(result),
    tx: toBase64(tx),
    ...(prove ? { proof: txProof(block, location.index) } : {}),
  };
}

/** Inclusion of a transaction's hash under the header's data hash. */
function txProof(block: Block, index: number) {
  const { root, proofs } = merkleProofs(block.txs.map(txHash));
  const data = toBase64(block.txs[index] as Bytes);
  return { root_hash: toUpperHex(root), data, proof: proofJson(proofs[index] as Proof) };
}

export const transactionMethods: readonly CometMethod[] = [
  method({
    method: 'broadcast_tx_sync',
    args: { tx: 'bytes' },
    doc: 'Submits a transaction; answers with the verdict of CheckTx.',
    run: async (ctx, { tx }) => {
      const { hash, result } = await submitted(ctx, tx);
      if (result.kind === 'accepted') return accepted(hash);
      const { code, log, codespace } = result;
      return { code, data: '', log, codespace, hash: toUpperHex(hash) };
    },
  }),
  method({
    method: 'broadcast_tx_async',
    args: { tx: 'bytes' },
    doc: 'Submits a transaction; the verdict of CheckTx is not told.',
    run: async (ctx, { tx }) => accepted((await submitted(ctx, tx)).hash),
  }),
  method({
    method: 'tx',
    args: { hash: 'bytes', prove: 'bool' },
    caching: 'always',
    doc: 'A committed transaction by the sha256 of its bytes.',
    run: (ctx, { hash, prove }) => txAnswer(ctx, hash, prove),
  }),
];
