import type { Bytes } from '../../lib/bytes.ts';

const BLOOM_BYTES = 256;

/** Adds one address or topic: three 11-bit indices of its keccak256 (Yellow Paper 4.3.1). */
export function addToBloom(bloom: Bytes, item: Bytes, keccak256: (message: Bytes) => Bytes): void {
  const hash = keccak256(item);
  for (let i = 0; i < 6; i += 2) {
    const bit = (((hash[i] as number) << 8) | (hash[i + 1] as number)) & 0x7ff;
    const at = BLOOM_BYTES - 1 - (bit >>> 3);
    bloom[at] = (bloom[at] as number) | (1 << (bit & 7));
  }
}

export function logsBloom(
  logs: readonly { readonly address: Bytes; readonly topics: readonly Bytes[] }[],
  keccak256: (message: Bytes) => Bytes,
): Bytes {
  const bloom = new Uint8Array(BLOOM_BYTES);
  for (const log of logs) {
    addToBloom(bloom, log.address, keccak256);
    for (const topic of log.topics) addToBloom(bloom, topic, keccak256);
  }
  return bloom;
}

/** Adds every bit of `other` to `bloom`. */
export function mergeBloom(bloom: Bytes, other: Bytes): void {
  for (let i = 0; i < BLOOM_BYTES; i++) bloom[i] = (bloom[i] as number) | (other[i] as number);
}
