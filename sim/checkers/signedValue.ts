import { type Bytes, toHex } from '../../core/lib/bytes.ts';

const TYPE_TAG = 0x08;
const FIXED_TAGS: readonly number[] = [0x11, 0x19];
const BLOCK_ID_TAG = 0x22;
const HASH_BYTES = 32;
const TIME_TAG = 0x2a;
const SECONDS_TAG = 0x08;

/** The block hash in canonical vote bytes (length ‖ type ‖ height ‖ round ‖ block id …), undefined for nil. */
export function signedValue(bytes: Bytes): string | undefined {
  let at = (bytes[0] as number) < 0x80 ? 1 : 2;
  if (bytes[at] === TYPE_TAG) at += 2;
  for (const tag of FIXED_TAGS) if (bytes[at] === tag) at += 9;
  if (bytes[at] !== BLOCK_ID_TAG) return undefined;
  // Tag and length of the block id, tag and length of the hash.
  return toHex(bytes.subarray(at + 4, at + 4 + HASH_BYTES));
}

/** The time in canonical vote bytes in µs since the Unix epoch, fractions included; undefined when there is none. */
export function signedTime(bytes: Bytes): number | undefined {
  let at = (bytes[0] as number) < 0x80 ? 1 : 2;
  if (bytes[at] === TYPE_TAG) at += 2;
  for (const tag of FIXED_TAGS) if (bytes[at] === tag) at += 9;
  if (bytes[at] === BLOCK_ID_TAG) at += 2 + (bytes[at + 1] as number);
  if (bytes[at] !== TIME_TAG) return undefined;
  const end = at + 2 + (bytes[at + 1] as number);
  at += 2;
  let micros = 0;
  while (at < end) {
    const isSeconds = bytes[at] === SECONDS_TAG;
    let [value, scale] = [0, 1];
    do {
      at++;
      value += ((bytes[at] as number) & 0x7f) * scale;
      scale *= 128;
    } while ((bytes[at] as number) >= 0x80);
    at++;
    micros += isSeconds ? value * 1_000_000 : value / 1000;
  }
  return micros;
}
