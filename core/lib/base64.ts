import type { Bytes } from './bytes.ts';
import { err, ok, type Result } from './result.ts';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const DIGITS = new Int8Array(128).fill(-1);
for (let i = 0; i < 64; i++) DIGITS[ALPHABET.charCodeAt(i)] = i;

/** The value of a digit (RFC 4648 §4), or -1. */
export const base64Digit = (charCode: number): number => (charCode < 128 ? (DIGITS[charCode] as number) : -1);

/** Encoding in pieces of this many bytes keeps the intermediate strings short. */
const PIECE_BYTES = 3 * 1024;

export interface Base64Error {
  readonly code: 'base64';
  readonly message: string;
}

/** Standard alphabet with padding (RFC 4648 §4). */
export function toBase64(bytes: Bytes): string {
  if (bytes.length <= PIECE_BYTES) return encodePiece(bytes);
  let text = '';
  for (let start = 0; start < bytes.length; start += PIECE_BYTES) {
    text += encodePiece(bytes.subarray(start, start + PIECE_BYTES));
  }
  return text;
}

function encodePiece(bytes: Bytes): string {
  let text = '';
  const whole = bytes.length - (bytes.length % 3);
  for (let i = 0; i < whole; i += 3) {
    const bits = ((bytes[i] as number) << 16) | ((bytes[i + 1] as number) << 8) | (bytes[i + 2] as number);
    text += (ALPHABET[bits >>> 18] as string) + (ALPHABET[(bits >>> 12) & 63] as string);
    text += (ALPHABET[(bits >>> 6) & 63] as string) + (ALPHABET[bits & 63] as string);
  }
  if (bytes.length - whole === 1) {
    const bits = bytes[whole] as number;
    text += `${ALPHABET[bits >>> 2]}${ALPHABET[(bits << 4) & 63]}==`;
  } else if (bytes.length - whole === 2) {
    const bits = ((bytes[whole] as number) << 8) | (bytes[whole + 1] as number);
    text += `${ALPHABET[bits >>> 10]}${ALPHABET[(bits >>> 4) & 63]}${ALPHABET[(bits << 2) & 63]}=`;
  }
  return text;
}

const bad = (message: string): { readonly ok: false; readonly error: Base64Error } =>
  err({ code: 'base64', message });

/** Parses standard, padded base64. Each value has exactly one text: stray bits after the last byte are refused. */
export function fromBase64(text: string): Result<Bytes, Base64Error> {
  if (text.length % 4 !== 0) return bad(`base64 of ${text.length} characters, a multiple of 4 was expected`);
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  const out = new Uint8Array((text.length / 4) * 3 - padding);
  const digits = text.length - padding;
  let bits = 0;
  let bitCount = 0;
  let at = 0;
  for (let i = 0; i < digits; i++) {
    const digit = base64Digit(text.charCodeAt(i));
    if (digit < 0) return bad(`invalid base64 character at ${i}`);
    bits = ((bits << 6) | digit) & 0xffff;
    bitCount += 6;
    if (bitCount < 8) continue;
    bitCount -= 8;
    out[at++] = (bits >>> bitCount) & 0xff;
  }
  if ((bits & ((1 << bitCount) - 1)) !== 0) return bad('base64 with stray bits at its end');
  return ok(out);
}
