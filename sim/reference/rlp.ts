/** An RLP encoder (Yellow Paper, appendix B), written apart from the core's. It does not decode. */
import { type Bytes, concat } from '../../core/lib/bytes.ts';

function lengthOf(length: number, base: number): Bytes {
  if (length < 56) return Uint8Array.of(base + length);
  const digits: number[] = [];
  for (let rest = length; rest > 0; rest >>>= 8) digits.unshift(rest & 0xff);
  return Uint8Array.of(base + 55 + digits.length, ...digits);
}

export const text = (bytes: Bytes): Bytes =>
  bytes.length === 1 && (bytes[0] ?? 0) < 0x80 ? bytes : concat(lengthOf(bytes.length, 0x80), bytes);

/** A list of encoded items. */
export const list = (items: readonly Bytes[]): Bytes => {
  const content = concat(...items);
  return concat(lengthOf(content.length, 0xc0), content);
};

/** Without leading zeros; zero is the empty string. */
export const number = (value: bigint): Bytes => {
  const digits: number[] = [];
  for (let rest = value; rest > 0n; rest >>= 8n) digits.unshift(Number(rest & 0xffn));
  return text(Uint8Array.from(digits));
};

/** Invalid encodings with one length byte too many, for strings of up to 55 bytes and lists of 56 to 255 bytes. */
export const longText = (bytes: Bytes): Bytes => concat(Uint8Array.of(0xb8, bytes.length), bytes);
export const longList = (items: readonly Bytes[]): Bytes => {
  const content = concat(...items);
  return concat(Uint8Array.of(0xf9, 0, content.length), content);
};
