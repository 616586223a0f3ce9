import { type Bytes, concat } from '../../core/lib/bytes.ts';
import { encodeUtf8 } from '../../core/lib/utf8.ts';

/** Protobuf's whole numbers: seven bits a byte, the lowest first. */
function varint(value: bigint): Bytes {
  const digits: number[] = [];
  let rest = value;
  for (; rest > 0x7fn; rest >>= 7n) digits.push(Number(rest & 0x7fn) | 0x80);
  return Uint8Array.of(...digits, Number(rest));
}

/** Protobuf leaves out what is empty or zero. */
const textField = (id: number, bytes: Bytes): Bytes =>
  bytes.length === 0 ? bytes : concat(Uint8Array.of(8 * id + 2), varint(BigInt(bytes.length)), bytes);
const numberField = (id: number, value: bigint): Bytes =>
  value === 0n ? new Uint8Array(0) : concat(Uint8Array.of(8 * id), varint(value));

/** What a bank transaction's signer signs: cosmos.tx.v1beta1.SignDoc. */
export const signDoc = (
  { bodyBytes, authInfoBytes }: { readonly bodyBytes: Bytes; readonly authInfoBytes: Bytes },
  chainId: string,
  accountNumber: bigint,
): Bytes =>
  concat(
    textField(1, bodyBytes),
    textField(2, authInfoBytes),
    textField(3, encodeUtf8(chainId)),
    numberField(4, accountNumber),
  );
