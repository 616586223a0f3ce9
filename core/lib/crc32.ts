import type { Bytes } from './bytes.ts';

const POLYNOMIAL = 0xedb88320;

/** CRC-32 of IEEE 802.3, computed bit by bit: for short inputs only. */
export function crc32(bytes: Bytes): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? POLYNOMIAL : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}
