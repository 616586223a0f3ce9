const TABLE = new Uint32Array(256);
for (let i = 0; i < 256; i++) {
  let value = i;
  for (let bit = 0; bit < 8; bit++) value = (value & 1) === 1 ? (value >>> 1) ^ 0x82f63b78 : value >>> 1;
  TABLE[i] = value >>> 0;
}

/** CRC-32C (Castagnoli, RFC 3720 B.4) of bytes[start, end). */
export function crc32c(bytes: Uint8Array, start = 0, end: number = bytes.length): number {
  let crc = 0xffffffff;
  for (let i = start; i < end; i++)
    crc = (TABLE[(crc ^ (bytes[i] as number)) & 0xff] as number) ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}
