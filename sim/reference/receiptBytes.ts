import type { EthLog, EthReceipt } from '../../core/app/chain.ts';
import { type Bytes, concat, EMPTY } from '../../core/lib/bytes.ts';
import { list, number, text } from './rlp.ts';

/** A receipt as it is stored in its trie (Yellow Paper 4.4.1, EIP-658, EIP-2718). */
export function receiptBytes({
  type,
  status,
  cumulativeGasUsed,
  logsBloom,
  logs,
}: Pick<EthReceipt, 'type' | 'status' | 'cumulativeGasUsed' | 'logsBloom'> & {
  readonly logs: readonly Pick<EthLog, 'address' | 'topics' | 'data'>[];
}): Bytes {
  const shown = logs.map(({ address, topics, data }) =>
    list([text(address), list(topics.map(text)), text(data)]),
  );
  const body = list([number(BigInt(status)), number(cumulativeGasUsed), text(logsBloom), list(shown)]);
  return concat(type === 0 ? EMPTY : Uint8Array.of(type), body);
}
