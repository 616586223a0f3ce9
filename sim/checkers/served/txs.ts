import { present } from '../../../core/lib/assert.ts';
import { toBase64 } from '../../../core/lib/base64.ts';
import { type Bytes, toUpperHex } from '../../../core/lib/bytes.ts';
import type { RpcContext } from '../../../core/rpc/context.ts';
import type { Block } from '../../../core/types/block.ts';
import { difference, type Fields } from '../../clients/answers/answers.ts';
import { momentOf } from '../../reference/goTime.ts';
import { rootAbove, type Sha256 } from '../../reference/merkle.ts';
import { shownEvent } from '../../reference/shown.ts';
import { bytesOf, comet, fieldsOf, filledHeights, rest, someOf, unlike } from '../questions.ts';
import { shownResult } from './blocks.ts';

/** Transactions in blocks are shown with their results, their time, and a proof that leads to the header. */
export async function wrongTxAnswers(rpc: RpcContext, sha256: Sha256): Promise<string | undefined> {
  const { chain } = rpc;
  const blocks = filledHeights(chain).map((height) => present(chain.block(height), 'a kept block'));
  for (const block of someOf(blocks)) {
    for (const index of someOf([...block.txs.keys()])) {
      const problem = await wrongTxAnswer(rpc, block, index, sha256);
      if (problem !== undefined) return problem;
    }
  }
  return undefined;
}

async function wrongTxAnswer(
  rpc: RpcContext,
  { header, txs }: Block,
  index: number,
  sha256: Sha256,
): Promise<string | undefined> {
  const { height } = header;
  const tx = present(txs[index], 'a transaction');
  const hash = sha256(tx);
  const result = present(rpc.chain.results(height)?.txResults[index], 'its result');
  const place = rpc.chain.txLocation(hash);
  // The same bytes may be in the chain twice if they failed the first time.
  if (place?.height !== height || place.index !== index) return undefined;
  const name = `tx ${toUpperHex(hash)}`;
  const told = await comet(rpc, 'tx', { hash: toBase64(hash), prove: true });
  const path = `/cosmos/tx/v1beta1/txs/${toUpperHex(hash)}`;
  const response = fieldsOf(await rest(rpc, path), 'tx_response');
  const { seconds } = header.time;
  return (
    difference(name, told, {
      hash: toUpperHex(hash),
      height: String(height),
      index,
      tx_result: shownResult(result),
      tx: toBase64(tx),
    }) ??
    wrongTxProof(name, fieldsOf(told, 'proof'), header.dataHash, tx, sha256) ??
    difference(path, response, {
      height: String(height),
      txhash: toUpperHex(hash),
      codespace: result.codespace,
      code: result.code,
      data: toUpperHex(result.data),
      raw_log: result.log,
      gas_wanted: String(result.gasWanted),
      gas_used: String(result.gasUsed),
      events: result.events.map(shownEvent),
    }) ??
    unlike(`the time of ${path}`, momentOf(response['timestamp']), { seconds, nanos: 0 })
  );
}

/** The leaves under data_hash are hashes of transactions. */
function wrongTxProof(
  name: string,
  { root_hash, data, proof }: Fields,
  dataHash: Bytes,
  tx: Bytes,
  sha256: Sha256,
): string | undefined {
  const { total, index, leaf_hash, aunts } = (proof ?? {}) as Fields;
  const leaf = sha256(tx);
  const place = {
    total: Number(total),
    index: Number(index),
    aunts: ((aunts ?? []) as readonly unknown[]).map(bytesOf),
  };
  const root = rootAbove(leaf, place, sha256);
  return (
    unlike(`where the proof of ${name} leads`, root && toUpperHex(root), toUpperHex(dataHash)) ??
    difference(
      `the proof of ${name}`,
      { root_hash, data, leaf_hash },
      {
        root_hash: toUpperHex(dataHash),
        data: toBase64(tx),
        leaf_hash: toBase64(sha256(Uint8Array.of(0, ...leaf))),
      },
    )
  );
}
