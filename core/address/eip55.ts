/** Ethereum's address text, with the checksum in the letter case (EIP-55). */
import { keccak256 } from '../crypto/hash.ts';
import { assert } from '../lib/assert.ts';
import { toHex } from '../lib/bytes.ts';
import { encodeUtf8 } from '../lib/utf8.ts';
import type { Address } from '../types/ids.ts';

/** `0x` and 40 digits. A letter is upper case where the hash of the lower-case text has a digit of 8 or more. */
export function toEip55(address: Address): string {
  assert(address.length === 20, 'Ethereum address is not 20 bytes');
  const digits = toHex(address);
  const hash = toHex(keccak256(encodeUtf8(digits)));
  let text = '0x';
  for (let i = 0; i < 40; i++) {
    const digit = digits[i] as string;
    text += (hash[i] as string) >= '8' ? digit.toUpperCase() : digit;
  }
  return text;
}
