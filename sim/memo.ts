import type { CryptoSuite } from '../core/crypto/suite.ts';
import { type Bytes, equalBytes } from '../core/lib/bytes.ts';
import { Rooms } from '../core/lib/room.ts';
import { hashBytes } from './world/rolling.ts';

const rooms = new Rooms();

/** Entries of one generation; when it is full the older generation is forgotten. */
const MEMO_ENTRIES_MAX = 16_384;

interface Entry<T> {
  readonly parts: readonly Bytes[];
  readonly answer: T;
  /** Another one of the same key. */
  readonly next: Entry<T> | undefined;
}

/**
 * Remembers answers of pure functions by the whole content of their arguments. Bounded by two generations; what is
 * forgotten is computed again, so the memo can never change an answer.
 */
export class Memo<T> {
  #young = new Map<number, Entry<T>>();
  #old = new Map<number, Entry<T>>();
  #count = 0;

  find(key: number, parts: readonly Bytes[]): Entry<T> | undefined {
    // A Map finds small integers fastest.
    const place = key | 0;
    return search(this.#young.get(place), parts) ?? search(this.#old.get(place), parts);
  }

  add(key: number, parts: readonly Bytes[], answer: T): void {
    if (this.#count++ >= MEMO_ENTRIES_MAX) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#count = 0;
    }
    const place = key | 0;
    const copies = parts.map((part) => rooms.copy(part));
    this.#young.set(place, { parts: copies, answer, next: this.#young.get(place) });
  }
}

function search<T>(first: Entry<T> | undefined, parts: readonly Bytes[]): Entry<T> | undefined {
  for (let entry = first; entry !== undefined; entry = entry.next) {
    if (isSame(entry.parts, parts)) return entry;
  }
  return undefined;
}

function isSame(a: readonly Bytes[], b: readonly Bytes[]): boolean {
  for (let i = 0; i < a.length; i++) if (!equalBytes(a[i] as Bytes, b[i] as Bytes)) return false;
  return true;
}

/**
 * A suite that computes each expensive thing once for the whole cluster. Verification is a pure function, so what one
 * node found out is true for all; a signature made here is known to be good without asking.
 */
export function memoised(suite: CryptoSuite): CryptoSuite {
  const verified = new Memo<boolean>();
  const recovered = new Memo<Bytes | undefined>();
  const verify = (publicKey: Bytes, message: Bytes, signature: Bytes): boolean => {
    const key = hashBytes(signature, 1);
    const parts = [signature, publicKey, message];
    const known = verified.find(key, parts);
    if (known !== undefined) return known.answer;
    const answer = suite.ed25519Verify(publicKey, message, signature);
    verified.add(key, parts, answer);
    return answer;
  };
  // Seeds are few and live as long as their signers: found by identity.
  const publicKeys = new WeakMap<Bytes, Bytes>();
  const publicKeyOf = (seed: Bytes): Bytes => {
    const known = publicKeys.get(seed);
    if (known !== undefined) return known;
    const publicKey = suite.ed25519PublicKey(seed);
    publicKeys.set(seed, publicKey);
    return publicKey;
  };
  return {
    ...boundTo(suite),
    name: `memo(${suite.name})`,
    ed25519Verify: verify,
    ed25519Sign(seed, message) {
      const signature = suite.ed25519Sign(seed, message);
      verified.add(hashBytes(signature, 1), [signature, publicKeyOf(seed), message], true);
      return signature;
    },
    secp256k1Recover(digest, rs, recovery) {
      const key = hashBytes(rs, 2 + recovery);
      const parts = [rs, digest, Uint8Array.of(recovery)];
      const known = recovered.find(key, parts);
      if (known !== undefined) return known.answer;
      const answer = suite.secp256k1Recover(digest, rs, recovery);
      recovered.add(key, parts, answer);
      return answer;
    },
  };
}

/** A suite may be a class: its methods are taken with their object. */
export const boundTo = (suite: CryptoSuite): CryptoSuite => ({
  name: suite.name,
  sha256: (message) => suite.sha256(message),
  keccak256: (message) => suite.keccak256(message),
  ed25519PublicKey: (seed) => suite.ed25519PublicKey(seed),
  ed25519Sign: (seed, message) => suite.ed25519Sign(seed, message),
  ed25519Verify: (publicKey, message, signature) => suite.ed25519Verify(publicKey, message, signature),
  secp256k1PublicKey: (secret, compressed) => suite.secp256k1PublicKey(secret, compressed),
  secp256k1Sign: (secret, digest) => suite.secp256k1Sign(secret, digest),
  secp256k1Recover: (digest, rs, recovery) => suite.secp256k1Recover(digest, rs, recovery),
  secp256k1Uncompress: (publicKey) => suite.secp256k1Uncompress(publicKey),
  secp256k1Verify: (publicKey, digest, rs) => suite.secp256k1Verify(publicKey, digest, rs),
});
