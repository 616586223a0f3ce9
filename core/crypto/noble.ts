import { ed25519 } from '@noble/curves/ed25519.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { sha256 } from '@noble/hashes/sha2.js';
import type { Bytes } from '../lib/bytes.ts';
import { keccak256 } from './hash.ts';
import type { CryptoSuite } from './suite.ts';

function ed25519Verify(publicKey: Bytes, message: Bytes, signature: Bytes): boolean {
  if (publicKey.length !== 32 || signature.length !== 64) return false;
  try {
    return ed25519.verify(signature, message, publicKey, { zip215: true });
  } catch {
    return false;
  }
}

function secp256k1Recover(digest: Bytes, rs: Bytes, recovery: number): Bytes | undefined {
  if (digest.length !== 32 || rs.length !== 64 || (recovery !== 0 && recovery !== 1)) return undefined;
  try {
    const signature = secp256k1.Signature.fromBytes(rs, 'compact').addRecoveryBit(recovery);
    return signature.recoverPublicKey(digest).toBytes(false);
  } catch {
    return undefined;
  }
}

function secp256k1Uncompress(publicKey: Bytes): Bytes | undefined {
  if (publicKey.length !== 33) return undefined;
  try {
    return secp256k1.Point.fromBytes(publicKey).toBytes(false);
  } catch {
    return undefined;
  }
}

function secp256k1Verify(publicKey: Bytes, digest: Bytes, rs: Bytes): boolean {
  if (digest.length !== 32 || rs.length !== 64) return false;
  const prefix = publicKey[0];
  const wellFormed =
    publicKey.length === 33 ? prefix === 2 || prefix === 3 : publicKey.length === 65 && prefix === 4;
  if (!wellFormed) return false;
  try {
    return secp256k1.verify(rs, digest, publicKey, { prehash: false, lowS: true, format: 'compact' });
  } catch {
    return false;
  }
}

/** The portable default implementation of every primitive. */
export const nobleSuite: CryptoSuite = {
  name: 'noble',
  sha256: (message) => sha256(message),
  keccak256,
  ed25519PublicKey: (seed) => ed25519.getPublicKey(seed),
  ed25519Sign: (seed, message) => ed25519.sign(message, seed),
  ed25519Verify,
  secp256k1PublicKey: (secret, compressed) => secp256k1.getPublicKey(secret, compressed),
  secp256k1Sign(secret, digest) {
    const bytes = secp256k1.sign(digest, secret, { prehash: false, lowS: true, format: 'recovered' });
    return { rs: bytes.slice(1), recovery: bytes[0] as number };
  },
  secp256k1Recover,
  secp256k1Uncompress,
  secp256k1Verify,
};
