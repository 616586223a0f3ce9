import type { Bytes } from '../../../core/lib/bytes.ts';
import type { Fields } from '../../clients/answers/answers.ts';
import { list, number, text } from '../../reference/rlp.ts';
import { hexBytesOf } from '../questions.ts';

/** The fields of a header in order. RLP writes the zero of a number as empty. */
const FIELDS: readonly (readonly [name: string, isNumber: boolean])[] = [
  ['parentHash', false],
  ['sha3Uncles', false],
  ['miner', false],
  ['stateRoot', false],
  ['transactionsRoot', false],
  ['receiptsRoot', false],
  ['logsBloom', false],
  ['difficulty', true],
  ['number', true],
  ['gasLimit', true],
  ['gasUsed', true],
  ['timestamp', true],
  ['extraData', false],
  ['mixHash', false],
  ['nonce', false],
  ['baseFeePerGas', true],
  ['withdrawalsRoot', false],
  ['blobGasUsed', true],
  ['excessBlobGas', true],
  ['parentBeaconBlockRoot', false],
  ['requestsHash', false],
];

/** The RLP of a header given as JSON. */
export const headerBytes = (head: Fields): Bytes =>
  list(
    FIELDS.map(([name, isNumber]) =>
      isNumber ? number(BigInt(String(head[name] ?? '0x0'))) : text(hexBytesOf(head[name])),
    ),
  );
