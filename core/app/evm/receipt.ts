import { type Bytes, concat, EMPTY } from '../../lib/bytes.ts';
import type { EthReceipt } from '../chain.ts';
import { bigintToBytes } from './numbers.ts';
import { encodeRlp, type RlpItem } from './rlp.ts';

export const logFields = (log: { address: Bytes; topics: readonly Bytes[]; data: Bytes }): RlpItem => [
  log.address,
  log.topics,
  log.data,
];

/** EIP-2718 receipt bytes: the values of the receipts trie. */
export function encodeReceipt(receipt: EthReceipt): Bytes {
  const body = encodeRlp([
    receipt.status === 1 ? Uint8Array.of(1) : EMPTY,
    bigintToBytes(receipt.cumulativeGasUsed),
    receipt.logsBloom,
    receipt.logs.map(logFields),
  ]);
  return receipt.type === 0 ? body : concat(Uint8Array.of(receipt.type), body);
}
