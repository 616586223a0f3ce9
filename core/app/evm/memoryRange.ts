import type { Bytes } from '../../lib/bytes.ts';

/** `length` bytes of memory from `offset`, zeros beyond its end; undefined when no run could pay for so much. */
export function memoryRange(memory: Bytes, offset: bigint, length: bigint): Bytes | undefined {
  if (length > 10_000_000n || (length > 0n && offset > 1_000_000_000n)) return undefined;
  const out = new Uint8Array(Number(length));
  if (length > 0n) out.set(memory.subarray(Number(offset), Number(offset + length)));
  return out;
}

/** Memory of so many words. A call pays for room that the library makes only once something is written there. */
export function memoryOf(store: Bytes, words: bigint): Bytes {
  const length = Number(words) * 32;
  if (store.length >= length) return store.subarray(0, length);
  const out = new Uint8Array(length);
  out.set(store);
  return out;
}
