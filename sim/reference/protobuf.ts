/** A protobuf encoder, written apart from the core's: fields in order, and none that is zero or empty. */
import { type Bytes, concat, EMPTY } from '../../core/lib/bytes.ts';
import { encodeUtf8 } from '../../core/lib/utf8.ts';

function varint(value: bigint): Bytes {
  const digits: number[] = [];
  let rest = value;
  for (; rest > 0x7fn; rest >>= 7n) digits.push(Number(rest & 0x7fn) | 0x80);
  return Uint8Array.of(...digits, Number(rest));
}

const key = (field: number, wire: 0 | 2): Bytes => varint(BigInt(field * 8 + wire));

export const amountField = (field: number, value: bigint): Bytes =>
  value === 0n ? EMPTY : concat(key(field, 0), varint(value));

/** A message or an item of a list, which is written even when it is empty. */
export const itemField = (field: number, value: Bytes): Bytes =>
  concat(key(field, 2), varint(BigInt(value.length)), value);

export const bytesField = (field: number, value: Bytes): Bytes =>
  value.length === 0 ? EMPTY : itemField(field, value);

export const textField = (field: number, value: string): Bytes => bytesField(field, encodeUtf8(value));

/** `TxResult.data`: the response of each message of a transaction, with its type. */
export const answersData = (answers: readonly { readonly typeUrl: string; readonly value: Bytes }[]): Bytes =>
  concat(
    ...answers.map(({ typeUrl, value }) => itemField(2, concat(textField(1, typeUrl), bytesField(2, value)))),
  );
