import type { Bytes } from '../../lib/bytes.ts';

/** `length` bytes of memory from `offset`, zeros beyond its end; undefined when no run could pay for so much. */
export function memoryRange(memory: Bytes, offset: bigint, length: bigint): Bytes | undefined {
  if (length > 10_000_000n || (length > 0n && offset > 1_000_000_000n)) return undefined;
  const out = new Uint8Array(Number(length));
  if (length > 0n) out.set(memory.subarray(Number(offset), Number(offset + length)));
  return out;
}
