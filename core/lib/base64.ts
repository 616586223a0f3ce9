import { present } from './assert.ts';
import type { Bytes } from './bytes.ts';
import { err, ok, type Result } from './result.ts';
import { decodeUtf8, encodeUtf8 } from './utf8.ts';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const CODES = encodeUtf8(ALPHABET);
const PADDING = '='.charCodeAt(0);
const DIGITS = new Int8Array(128).fill(-1);
for (let i = 0; i < 64; i++) DIGITS[ALPHABET.charCodeAt(i)] = i;

/** The value of a digit (RFC 4648 §4), or -1. */
export const base64Digit = (charCode: number): number => (charCode < 128 ? (DIGITS[charCode] as number) : -1);

export interface Base64Error {
  readonly code: 'base64';
  readonly message: string;
}

/**
 * Standard alphabet with padding (RFC 4648 §4). Writes character codes, as a text that grows by pieces takes some thirty
 * times as long, and a transaction may have a mebibyte.
 */
export function toBase64(bytes: Bytes): string {
  const codes = new Uint8Array(Math.ceil(bytes.length / 3) * 4).fill(PADDING);
  let at = 0;
  for (let i = 0; i < bytes.length; i += 3) {
    const left = bytes.length - i;
    const bits = ((bytes[i] as number) << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0);
    codes[at++] = CODES[bits >>> 18] as number;
    codes[at++] = CODES[(bits >>> 12) & 63] as number;
    if (left > 1) codes[at++] = CODES[(bits >>> 6) & 63] as number;
    if (left > 2) codes[at++] = CODES[bits & 63] as number;
  }
  return present(decodeUtf8(codes), 'base64 is ASCII');
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
