import { err, ok, type Result } from './result.ts';
import { room } from './room.ts';
import { decodeUtf8 } from './utf8.ts';

export type Bytes = Uint8Array;

export const EMPTY: Bytes = new Uint8Array(0);

export interface HexError {
  readonly code: 'hex';
  readonly message: string;
}

/** Char codes of a byte's two hex digits. */
const HIGH = Uint8Array.from({ length: 256 }, (_, byte) => '0123456789abcdef'.charCodeAt(byte >>> 4));
const LOW = Uint8Array.from({ length: 256 }, (_, byte) => '0123456789abcdef'.charCodeAt(byte & 15));

/** The hex digits of four bytes. */
function fourBytes(bytes: Bytes, at: number): string {
  const a = bytes[at] as number;
  const b = bytes[at + 1] as number;
  const c = bytes[at + 2] as number;
  const d = bytes[at + 3] as number;
  return String.fromCharCode(
    HIGH[a] as number,
    LOW[a] as number,
    HIGH[b] as number,
    LOW[b] as number,
    HIGH[c] as number,
    LOW[c] as number,
    HIGH[d] as number,
    LOW[d] as number,
  );
}

/** From this length on: joining very many pieces takes twice the time and many times the memory. */
const LONG_BYTES = 512;

function longHex(bytes: Bytes): string {
  const digits = new Uint8Array(2 * bytes.length);
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] as number;
    digits[2 * i] = HIGH[byte] as number;
    digits[2 * i + 1] = LOW[byte] as number;
  }
  return decodeUtf8(digits) as string;
}

/** Lower-case hex without prefix. Joins few pieces, since a text made of many small ones is slow as a lookup key. */
export function toHex(bytes: Bytes): string {
  if (bytes.length >= LONG_BYTES) return longHex(bytes);
  const fours = bytes.length & ~3;
  let text = '';
  for (let at = 0; at < fours; at += 4) text += fourBytes(bytes, at);
  for (let at = fours; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    text += String.fromCharCode(HIGH[byte] as number, LOW[byte] as number);
  }
  return text;
}

/** Upper-case hex without prefix, as CometBFT prints hashes and addresses. */
export const toUpperHex = (bytes: Bytes): string => toHex(bytes).toUpperCase();

/** `0x` and lower-case hex, as Ethereum JSON-RPC prints data. */
export const to0xHex = (bytes: Bytes): string => `0x${toHex(bytes)}`;

const digitOf = (charCode: number): number => {
  if (charCode >= 48 && charCode <= 57) return charCode - 48;
  if (charCode >= 97 && charCode <= 102) return charCode - 87;
  if (charCode >= 65 && charCode <= 70) return charCode - 55;
  return -1;
};

/** Parses an even count of hex digits of either case, with or without `0x`. */
export function parseHex(text: string): Result<Bytes, HexError> {
  const start = text.startsWith('0x') || text.startsWith('0X') ? 2 : 0;
  const digits = text.length - start;
  if (digits % 2 !== 0) return err({ code: 'hex', message: 'hex string of odd length' });
  const out = new Uint8Array(digits / 2);
  for (let i = 0; i < out.length; i++) {
    const high = digitOf(text.charCodeAt(start + 2 * i));
    const low = digitOf(text.charCodeAt(start + 2 * i + 1));
    if (high < 0 || low < 0) return err({ code: 'hex', message: `invalid hex digit at ${start + 2 * i}` });
    out[i] = high * 16 + low;
  }
  return ok(out);
}

/** Hex that our own source wrote; anything else is a bug. */
export function hex(text: string): Bytes {
  const parsed = parseHex(text);
  if (!parsed.ok) throw new TypeError(parsed.error.message);
  return parsed.value;
}

/** Joins a few arrays. Use `joined` for a list whose length outside data decides. */
export const concat = (...parts: readonly Bytes[]): Bytes => joined(parts);

export function joined(parts: readonly Bytes[]): Bytes {
  let length = 0;
  for (const part of parts) length += part.length;
  const out = room(length);
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

/** From this length on, comparing by words is worth the two views it needs. */
const WORDWISE_BYTES_MIN = 256;

export function equalBytes(a: Bytes, b: Bytes): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  let at = 0;
  if (a.length >= WORDWISE_BYTES_MIN && ((a.byteOffset | b.byteOffset) & 3) === 0) {
    const count = a.length >>> 2;
    const x = new Int32Array(a.buffer, a.byteOffset, count);
    const y = new Int32Array(b.buffer, b.byteOffset, count);
    for (let i = 0; i < count; i++) if (x[i] !== y[i]) return false;
    at = count * 4;
  }
  return isSameFrom(a, b, at);
}

/** Takes four bytes at a time, with one comparison instead of four. */
function isSameFrom(a: Bytes, b: Bytes, from: number): boolean {
  let at = from;
  for (; at + 4 <= a.length; at += 4) {
    const first = ((a[at] as number) ^ (b[at] as number)) | ((a[at + 1] as number) ^ (b[at + 1] as number));
    const second =
      ((a[at + 2] as number) ^ (b[at + 2] as number)) | ((a[at + 3] as number) ^ (b[at + 3] as number));
    if ((first | second) !== 0) return false;
  }
  for (; at < a.length; at++) if (a[at] !== b[at]) return false;
  return true;
}

/** Byte-wise order; a proper prefix comes first. */
export function compareBytes(a: Bytes, b: Bytes): number {
  const shared = a.length < b.length ? a.length : b.length;
  for (let i = 0; i < shared; i++) {
    const difference = (a[i] as number) - (b[i] as number);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** Order of two texts by UTF-16 code unit, the same on every machine and locale. */
export const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
