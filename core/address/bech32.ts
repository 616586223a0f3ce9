/** Bech32 (BIP-173, not bech32m) with the Cosmos SDK's length limit. */

import { assert } from '../lib/assert.ts';
import { type Bytes, EMPTY } from '../lib/bytes.ts';
import { err, ok, type Result } from '../lib/result.ts';

export const BECH32_LENGTH_MAX = 1023;
export const HRP_LENGTH_MAX = 83;
const CHECKSUM_LENGTH = 6;
const CHARSET = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const DIGITS = new Int8Array(128).fill(-1);
for (let i = 0; i < 32; i++) DIGITS[CHARSET.charCodeAt(i)] = i;
const GENERATORS = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3] as const;

/** What is wrong with an address text, with the given and the expected value. */
export type AddressError =
  | { readonly code: 'mixed-case'; readonly message: string }
  | {
      readonly code: 'bad-checksum';
      readonly message: string;
      readonly given: string;
      readonly expected: string;
    }
  | {
      readonly code: 'wrong-prefix';
      readonly message: string;
      readonly given: string;
      readonly expected: readonly string[];
    }
  | {
      readonly code: 'wrong-length';
      readonly message: string;
      readonly given: number;
      readonly expected: number;
    }
  | { readonly code: 'malformed'; readonly message: string };

/** What the five bits shifted out of the checksum add to it. */
const FEEDBACK = Int32Array.from({ length: 32 }, (_, top) =>
  GENERATORS.reduce((sum, generator, i) => (((top >>> i) & 1) === 1 ? sum ^ generator : sum), 0),
);

/** The checksum's state after one more word. */
const polymod = (checksum: number, word: number): number =>
  ((checksum & 0x1ffffff) << 5) ^ word ^ (FEEDBACK[checksum >>> 25] as number);

function checksumOf(hrp: string, words: readonly number[]): string {
  let checksum = 1;
  for (let i = 0; i < hrp.length; i++) checksum = polymod(checksum, hrp.charCodeAt(i) >>> 5);
  checksum = polymod(checksum, 0);
  for (let i = 0; i < hrp.length; i++) checksum = polymod(checksum, hrp.charCodeAt(i) & 31);
  for (const word of words) checksum = polymod(checksum, word);
  for (let i = 0; i < CHECKSUM_LENGTH; i++) checksum = polymod(checksum, 0);
  checksum ^= 1;
  let text = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i++) text += CHARSET[(checksum >>> (5 * (5 - i))) & 31];
  return text;
}

/** 8-bit bytes to 5-bit words. The last word is padded with zeros. */
function toWords(bytes: Bytes): number[] {
  const words: number[] = [];
  let bits = 0;
  let bitCount = 0;
  for (const byte of bytes) {
    bits = ((bits << 8) | byte) & 0xfff;
    bitCount += 8;
    while (bitCount >= 5) {
      bitCount -= 5;
      words.push((bits >>> bitCount) & 31);
    }
  }
  if (bitCount > 0) words.push((bits << (5 - bitCount)) & 31);
  return words;
}

/** undefined unless the padding is fewer than five bits, all zero. */
function fromWords(words: readonly number[]): Bytes | undefined {
  const out = new Uint8Array(Math.floor((words.length * 5) / 8));
  let bits = 0;
  let bitCount = 0;
  let at = 0;
  for (const word of words) {
    bits = ((bits << 5) | word) & 0xfff;
    bitCount += 5;
    if (bitCount < 8) continue;
    bitCount -= 8;
    out[at++] = (bits >>> bitCount) & 0xff;
  }
  return bitCount >= 5 || (bits & ((1 << bitCount) - 1)) !== 0 ? undefined : out;
}

export const isHrp = (hrp: string): boolean =>
  hrp.length >= 1 && hrp.length <= HRP_LENGTH_MAX && /^[!-~]+$/.test(hrp) && hrp === hrp.toLowerCase();

/** Lower-case text. `hrp` has to be a valid lower-case prefix. */
export function encodeBech32(hrp: string, bytes: Bytes): string {
  assert(isHrp(hrp), 'bech32 prefix');
  const words = toWords(bytes);
  let text = `${hrp}1`;
  for (const word of words) text += CHARSET[word];
  text += checksumOf(hrp, words);
  assert(text.length <= BECH32_LENGTH_MAX, 'bech32 text too long');
  return text;
}

const malformed = (message: string): { readonly ok: false; readonly error: AddressError } =>
  err({ code: 'malformed', message });

export interface Bech32Text {
  /** Lower case. */
  readonly hrp: string;
  readonly bytes: Bytes;
}

/** Parses a text that is all lower or all upper case. */
export function decodeBech32(given: string): Result<Bech32Text, AddressError> {
  if (given.length > BECH32_LENGTH_MAX) {
    const message = `bech32 text of ${given.length} characters, at most ${BECH32_LENGTH_MAX} are allowed`;
    return err({ code: 'wrong-length', message, given: given.length, expected: BECH32_LENGTH_MAX });
  }
  const text = given.toLowerCase();
  if (text !== given && given.toUpperCase() !== given) {
    return err({ code: 'mixed-case', message: 'bech32 text mixes upper and lower case' });
  }
  const separator = text.lastIndexOf('1');
  const hrp = text.slice(0, Math.max(separator, 0));
  if (separator < 0) return malformed('bech32 text without the separator "1"');
  if (!isHrp(hrp)) return malformed('bech32 prefix is empty, too long or not printable ASCII');
  if (text.length - separator - 1 < CHECKSUM_LENGTH)
    return malformed('bech32 text too short for its checksum');
  const words: number[] = [];
  for (let i = separator + 1; i < text.length - CHECKSUM_LENGTH; i++) words.push(digitAt(text, i));
  if (words.includes(-1)) return malformed('bech32 text with a character outside its alphabet');
  const expected = checksumOf(hrp, words);
  const checksum = text.slice(-CHECKSUM_LENGTH);
  if (checksum !== expected) {
    const message = `bech32 checksum is "${checksum}", expected "${expected}"`;
    return err({ code: 'bad-checksum', message, given: checksum, expected });
  }
  const bytes = words.length === 0 ? EMPTY : fromWords(words);
  return bytes === undefined ? malformed('bech32 text with wrong padding') : ok({ hrp, bytes });
}

function digitAt(text: string, index: number): number {
  const charCode = text.charCodeAt(index);
  return charCode < 128 ? (DIGITS[charCode] as number) : -1;
}
