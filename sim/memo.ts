import type { CryptoSuite } from '../core/crypto/suite.ts';
import { type Bytes, equalBytes } from '../core/lib/bytes.ts';
import { Rooms } from '../core/lib/room.ts';
import { hashBytes } from './world/rolling.ts';

const rooms = new Rooms();

/** Entries of one generation. When it is full, the older generation is forgotten. */
const MEMO_ENTRIES_MAX = 16_384;

/** Stands for an argument that the function does not have. */
const NONE: Bytes = new Uint8Array();

interface Entry<T> {
  readonly a: Bytes;
  readonly b: Bytes;
  readonly c: Bytes;
  readonly answer: T;
  /** Another entry with the same key. */
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

  find(key: number, a: Bytes, b = NONE, c = NONE): Entry<T> | undefined {
    // A Map finds small integers fastest.
    const place = key | 0;
    return search(this.#young.get(place), a, b, c) ?? search(this.#old.get(place), a, b, c);
  }

  add(key: number, answer: T, a: Bytes, b = NONE, c = NONE): T {
    if (this.#count++ >= MEMO_ENTRIES_MAX) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#count = 0;
    }
    const place = key | 0;
    const next = this.#young.get(place);
    this.#young.set(place, { a: rooms.copy(a), b: kept(b), c: kept(c), answer, next });
    return answer;
  }
}

const kept = (bytes: Bytes): Bytes => (bytes === NONE ? NONE : rooms.copy(bytes));

function search<T>(first: Entry<T> | undefined, a: Bytes, b: Bytes, c: Bytes): Entry<T> | undefined {
  for (let entry = first; entry !== undefined; entry = entry.next) {
    if (equalBytes(entry.a, a) && equalBytes(entry.b, b) && equalBytes(entry.c, c)) return entry;
  }
  return undefined;
}

/** Remembers a function of a few secrets. They live as long as their signers, so they are found by identity. */
function bySecret(publicKeyOf: (secret: Bytes) => Bytes): (secret: Bytes) => Bytes {
  const known = new WeakMap<Bytes, Bytes>();
  return (secret) => {
    const found = known.get(secret);
    if (found !== undefined) return found;
    const publicKey = publicKeyOf(secret);
    known.set(secret, publicKey);
    return publicKey;
  };
}

/**
 * A suite that computes each expensive thing once for the whole cluster. Verification is a pure function, so what one
 * node has found holds for all. A signature made here is known to be valid, and its key is known too.
 */
export function memoised(suite: CryptoSuite): CryptoSuite {
  return { ...boundTo(suite), name: `memo(${suite.name})`, ...ed25519Memo(suite), ...secp256k1Memo(suite) };
}

function ed25519Memo(suite: CryptoSuite): Pick<CryptoSuite, 'ed25519Verify' | 'ed25519Sign'> {
  const verified = new Memo<boolean>();
  const publicKeyOf = bySecret((seed) => suite.ed25519PublicKey(seed));
  return {
    ed25519Verify(publicKey, message, signature) {
      const key = hashBytes(signature, 1);
      const known = verified.find(key, signature, publicKey, message);
      if (known !== undefined) return known.answer;
      return verified.add(
        key,
        suite.ed25519Verify(publicKey, message, signature),
        signature,
        publicKey,
        message,
      );
    },
    ed25519Sign(seed, message) {
      const signature = suite.ed25519Sign(seed, message);
      verified.add(hashBytes(signature, 1), true, signature, publicKeyOf(seed), message);
      return signature;
    },
  };
}

type Secp256k1 = Pick<CryptoSuite, Extract<keyof CryptoSuite, `secp256k1${string}`>>;

function secp256k1Memo(suite: CryptoSuite): Secp256k1 {
  const verified = new Memo<boolean>();
  const recovered = new Memo<Bytes | undefined>();
  const uncompressed = new Memo<Bytes | undefined>();
  const short = bySecret((secret) => suite.secp256k1PublicKey(secret, true));
  const long = bySecret((secret) => suite.secp256k1PublicKey(secret, false));
  return {
    secp256k1PublicKey: (secret, compressed) => (compressed ? short(secret) : long(secret)),
    secp256k1Sign(secret, digest) {
      const signature = suite.secp256k1Sign(secret, digest);
      const { rs, recovery } = signature;
      recovered.add(hashBytes(rs, 2 + recovery), long(secret), rs, digest, Uint8Array.of(recovery));
      verified.add(hashBytes(rs, 1), true, rs, digest, short(secret));
      return signature;
    },
    secp256k1Recover(digest, rs, recovery) {
      const key = hashBytes(rs, 2 + recovery);
      const last = Uint8Array.of(recovery);
      const known = recovered.find(key, rs, digest, last);
      if (known !== undefined) return known.answer;
      return recovered.add(key, suite.secp256k1Recover(digest, rs, recovery), rs, digest, last);
    },
    secp256k1Uncompress(publicKey) {
      const key = hashBytes(publicKey, 1);
      const known = uncompressed.find(key, publicKey);
      if (known !== undefined) return known.answer;
      return uncompressed.add(key, suite.secp256k1Uncompress(publicKey), publicKey);
    },
    secp256k1Verify(publicKey, digest, rs) {
      const key = hashBytes(rs, 1);
      const known = verified.find(key, rs, digest, publicKey);
      if (known !== undefined) return known.answer;
      return verified.add(key, suite.secp256k1Verify(publicKey, digest, rs), rs, digest, publicKey);
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
