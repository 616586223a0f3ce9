import { type Bytes, parseHex } from '../../lib/bytes.ts';
import { invalidParams } from '../rpcError.ts';

/** A storage slot in a request. */
export interface StorageKey {
  readonly slot: Bytes;
  /** The request gave all 32 bytes; an answer that repeats the key then shows all 32 (geth's GetProof). */
  readonly isWhole: boolean;
}

/** geth's decodeStorageKey: up to 32 bytes of hex; prefix and even length are optional. */
export function readStorageKey(key: string): StorageKey {
  const digits = key.replace(/^0[xX]/, '');
  const even = digits.length % 2 === 0 ? digits : `0${digits}`;
  if (even.length > 64)
    throw invalidParams(`storage key too long (want at most 32 bytes): ${JSON.stringify(key)}`);
  const parsed = parseHex(`0x${even}`);
  if (!parsed.ok) throw invalidParams(`invalid hex in storage key: ${JSON.stringify(key)}`);
  const slot = new Uint8Array(32);
  slot.set(parsed.value, 32 - parsed.value.length);
  return { slot, isWhole: parsed.value.length === 32 };
}
