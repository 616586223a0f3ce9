import { type Bytes, toHex } from '../../core/lib/bytes.ts';

const TYPE_TAG = 0x08;
const FIXED_TAGS: readonly number[] = [0x11, 0x19];
const BLOCK_ID_TAG = 0x22;
const HASH_BYTES = 32;

/** The block hash in canonical vote bytes (length ‖ type ‖ height ‖ round ‖ block id …), undefined for nil. */
export function signedValue(bytes: Bytes): string | undefined {
  let at = (bytes[0] as number) < 0x80 ? 1 : 2;
  if (bytes[at] === TYPE_TAG) at += 2;
  for (const tag of FIXED_TAGS) if (bytes[at] === tag) at += 9;
  if (bytes[at] !== BLOCK_ID_TAG) return undefined;
  // Tag and length of the block id, tag and length of the hash.
  return toHex(bytes.subarray(at + 4, at + 4 + HASH_BYTES));
}
