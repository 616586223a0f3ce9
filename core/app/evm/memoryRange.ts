import type { Bytes } from '../../lib/bytes.ts';

/**
 * `length` bytes of memory from `offset`, zeros beyond its end; undefined for sizes that no gas limit could pay for.
 */
export function memoryRange(memory: Bytes, offset: bigint, length: bigint): Bytes | undefined {
  if (length > 10_000_000n || (length > 0n && offset > 1_000_000_000n)) return undefined;
  const out = new Uint8Array(Number(length));
  if (length > 0n) out.set(memory.subarray(Number(offset), Number(offset + length)));
  return out;
}

/** The first `words` words of memory. A call pays for memory that the library allocates only on the first write. */
export function memoryOf(store: Bytes, words: bigint): Bytes {
  const length = Number(words) * 32;
  if (store.length >= length) return store.subarray(0, length);
  const out = new Uint8Array(length);
  out.set(store);
  return out;
}
