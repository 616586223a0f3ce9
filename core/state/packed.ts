import type { Bytes } from '../lib/bytes.ts';

/**
 * Bytes as a Map key, two bytes per character; unrolled for the lengths that execution uses all the time. Costs half as
 * much as hex. One map may hold keys of 20 and of 32 bytes, but then no keys of other lengths.
 */
export function packed(b: Bytes): string {
  if (b.length === 20) {
    return String.fromCharCode(
      ((b[0] as number) << 8) | (b[1] as number),
      ((b[2] as number) << 8) | (b[3] as number),
      ((b[4] as number) << 8) | (b[5] as number),
      ((b[6] as number) << 8) | (b[7] as number),
      ((b[8] as number) << 8) | (b[9] as number),
      ((b[10] as number) << 8) | (b[11] as number),
      ((b[12] as number) << 8) | (b[13] as number),
      ((b[14] as number) << 8) | (b[15] as number),
      ((b[16] as number) << 8) | (b[17] as number),
      ((b[18] as number) << 8) | (b[19] as number),
    );
  }
  if (b.length === 32) {
    return String.fromCharCode(
      ((b[0] as number) << 8) | (b[1] as number),
      ((b[2] as number) << 8) | (b[3] as number),
      ((b[4] as number) << 8) | (b[5] as number),
      ((b[6] as number) << 8) | (b[7] as number),
      ((b[8] as number) << 8) | (b[9] as number),
      ((b[10] as number) << 8) | (b[11] as number),
      ((b[12] as number) << 8) | (b[13] as number),
      ((b[14] as number) << 8) | (b[15] as number),
      ((b[16] as number) << 8) | (b[17] as number),
      ((b[18] as number) << 8) | (b[19] as number),
      ((b[20] as number) << 8) | (b[21] as number),
      ((b[22] as number) << 8) | (b[23] as number),
      ((b[24] as number) << 8) | (b[25] as number),
      ((b[26] as number) << 8) | (b[27] as number),
      ((b[28] as number) << 8) | (b[29] as number),
      ((b[30] as number) << 8) | (b[31] as number),
    );
  }
  return latin1(b);
}

/** Bytes of any length as a Map key, one byte per character. */
export const latin1 = (bytes: Bytes): string => String.fromCharCode.apply(null, bytes as unknown as number[]);
