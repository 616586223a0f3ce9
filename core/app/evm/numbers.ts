import { type Bytes, EMPTY, toHex } from '../../lib/bytes.ts';

/** Largest value of an EVM word. */
export const MAX_UINT256 = 2n ** 256n - 1n;
export const MAX_UINT64 = 2n ** 64n - 1n;

/** Largest integer up to which a `number` holds every integer exactly. */
export const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER);

/** Big-endian in the shortest form, like an RLP integer; zero becomes the empty string. */
export function bigintToBytes(value: bigint): Bytes {
  if (value === 0n) return EMPTY;
  let size = 0;
  if (value <= MAX_SAFE) for (let rest = Number(value); rest >= 1; rest /= 256) size++;
  else for (let rest = value; rest > 0n; rest >>= 8n) size++;
  return bigintToFixed(value, size);
}

/** Big-endian in exactly `size` bytes; negative values in two's complement. */
export function bigintToFixed(value: bigint, size: number): Bytes {
  const out = new Uint8Array(size);
  const isSmall = value >= 0n && value <= MAX_SAFE;
  let rest = isSmall ? 0n : value;
  let word = isSmall ? Number(value) : 0;
  for (let i = size - 1, left = 0; i >= 0; i--, left--) {
    if (!isSmall && left === 0) {
      word = Number(BigInt.asUintN(32, rest));
      rest >>= 32n;
      left = 4;
    }
    out[i] = word % 256;
    word = Math.floor(word / 256);
  }
  return out;
}

export const bytesToBigint = (bytes: Bytes): bigint =>
  bytes.length === 0 ? 0n : BigInt(`0x${toHex(bytes)}`);

/** Left-padded with zeros to 32 bytes. */
export function toWord(bytes: Bytes): Bytes {
  if (bytes.length === 32) return bytes;
  const out = new Uint8Array(32);
  out.set(bytes.slice(-32), 32 - Math.min(32, bytes.length));
  return out;
}
