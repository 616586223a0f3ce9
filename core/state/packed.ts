import type { Bytes } from '../lib/bytes.ts';

/**
 * Bytes as a Map key: two bytes a character, unrolled for the lengths that execution asks for all the time. Half the
 * cost of hex. Only keys of one length may meet in one map.
 */
export function packed(b: Bytes): string {
  const word = (i: number): number => ((b[i] as number) << 8) | (b[i + 1] as number);
  if (b.length === 20) {
    // biome-ignore format: one line a call
    return String.fromCharCode(word(0), word(2), word(4), word(6), word(8), word(10), word(12), word(14), word(16), word(18));
  }
  if (b.length === 32) {
    // biome-ignore format: one line a call
    return String.fromCharCode(word(0), word(2), word(4), word(6), word(8), word(10), word(12), word(14), word(16), word(18), word(20), word(22), word(24), word(26), word(28), word(30));
  }
  return latin1(b);
}

/** Bytes of any length as a Map key, one byte a character. */
export const latin1 = (bytes: Bytes): string => String.fromCharCode(...bytes);
