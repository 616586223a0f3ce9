import type { Bytes } from '../lib/bytes.ts';

/** A recoverable ECDSA signature over secp256k1, low-s. */
export interface EcdsaSignature {
  /** r ‖ s, 64 bytes. */
  readonly rs: Bytes;
  /** 0 or 1. */
  readonly recovery: number;
}

/**
 * Every expensive primitive that the core needs, as one port. `nobleSuite` (crypto/noble.ts) is the portable default.
 * adapters/crypto gives the same results faster. The simulator wraps either with a memo. All functions are pure, and
 * none throws on outside data.
 */
export interface CryptoSuite {
  readonly name: string;
  sha256(message: Bytes): Bytes;
  keccak256(message: Bytes): Bytes;
  /** 32-byte public key of a 32-byte seed. */
  ed25519PublicKey(seed: Bytes): Bytes;
  /** 64-byte signature (RFC 8032). */
  ed25519Sign(seed: Bytes, message: Bytes): Bytes;
  /** ZIP-215 rules: cofactored, non-canonical points accepted. False for wrong lengths. */
  ed25519Verify(publicKey: Bytes, message: Bytes, signature: Bytes): boolean;
  /** 33-byte compressed or 65-byte uncompressed public key of a 32-byte secret. */
  secp256k1PublicKey(secret: Bytes, compressed: boolean): Bytes;
  /** RFC 6979, low-s, over a 32-byte digest. */
  secp256k1Sign(secret: Bytes, digest: Bytes): EcdsaSignature;
  /** 65-byte uncompressed public key; undefined if there is none. High s is accepted here; callers refuse it. */
  secp256k1Recover(digest: Bytes, rs: Bytes, recovery: number): Bytes | undefined;
  /** The 65-byte form of a 33-byte compressed key; undefined if it is no point of the curve. */
  secp256k1Uncompress(publicKey: Bytes): Bytes | undefined;
  /** `publicKey` 33 or 65 bytes. Low-s only. */
  secp256k1Verify(publicKey: Bytes, digest: Bytes, rs: Bytes): boolean;
}
