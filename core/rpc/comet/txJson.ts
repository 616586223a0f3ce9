import { txHash } from '../../codec/hashes.ts';
import { eventJson, proofJson, txResultJson } from '../../codec/json.ts';
import { merkleProofs } from '../../crypto/merkle.ts';
import { toBase64 } from '../../lib/base64.ts';
import { EMPTY, toUpperHex } from '../../lib/bytes.ts';
import type { CheckReply } from '../../types/app.ts';
import type { Block, Proof } from '../../types/block.ts';
import type { Height } from '../../types/ids.ts';
import type { TxResult } from '../../types/result.ts';
import type { PageRoom } from '../answerRoom.ts';
import type { RpcContext } from '../context.ts';

/**
 * A committed transaction in the JSON of `tx` and `tx_search`, the latter with a page; undefined if its block is not
 * kept.
 */
export function txJson(
  ctx: RpcContext,
  { height, index }: { readonly height: Height; readonly index: number },
  prove: boolean,
  page?: PageRoom,
) {
  const block = ctx.chain.block(height);
  const result = ctx.chain.txResult({ height, index, ethIndex: undefined });
  const tx = block?.txs[index];
  if (block === undefined || result === undefined || tx === undefined) return undefined;
  page?.addTx(tx, result);
  return {
    hash: toUpperHex(txHash(tx)),
    height: String(height),
    index,
    tx_result: txResultJson(result),
    tx: toBase64(tx),
    ...(prove ? { proof: txProof(block, index) } : {}),
  };
}

/** Proves that a transaction's hash is included in the header's data hash. */
function txProof(block: Block, index: number) {
  const { root, proofs } = merkleProofs(block.txs.map(txHash));
  const data = toBase64(block.txs[index] as Uint8Array);
  return { root_hash: toUpperHex(root), data, proof: proofJson(proofs[index] as Proof) };
}

/** ResponseCheckTx in JSON. */
export function checkJson(reply: CheckReply) {
  const isAccepted = reply.kind === 'accepted';
  return {
    code: isAccepted ? 0 : reply.code,
    data: null,
    log: isAccepted ? '' : reply.log,
    info: '',
    gas_wanted: String(reply.gasWanted),
    gas_used: String(isAccepted ? 0n : reply.gasUsed),
    events: isAccepted ? reply.events.map(eventJson) : [],
    codespace: isAccepted ? '' : reply.codespace,
  };
}

/** The result shown for a transaction that was not executed. */
export const NO_RESULT: TxResult = {
  code: 0,
  data: EMPTY,
  log: '',
  info: '',
  gasWanted: 0n,
  gasUsed: 0n,
  events: [],
  codespace: '',
};
