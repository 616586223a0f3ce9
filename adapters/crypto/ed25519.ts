import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import { nobleSuite } from '../../core/crypto/noble.ts';
import { assert } from '../../core/lib/assert.ts';
import type { Bytes } from '../../core/lib/bytes.ts';
import { KeyCache } from './keyCache.ts';

/** DER prefixes of a raw Ed25519 key (RFC 8410): SubjectPublicKeyInfo and PKCS#8. */
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Enough for a large validator set: creating a key object costs more than a signature. */
const KEYS_MAX = 1024;

const publicKeys = new KeyCache(KEYS_MAX, (raw) =>
  createPublicKey({ key: Buffer.concat([SPKI_PREFIX, raw]), format: 'der', type: 'spki' }),
);
const privateKeys = new KeyCache(KEYS_MAX, (seed) =>
  createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' }),
);

function hostSaysYes(publicKey: Bytes, message: Bytes, signature: Bytes): boolean {
  try {
    return verify(null, message, publicKeys.get(publicKey), signature);
  } catch {
    return false;
  }
}

/**
 * OpenSSL accepts a subset of the signatures that ZIP-215 accepts: it compares encodings and does not clear the
 * cofactor. Its yes is final; on its no, noble decides.
 */
export function ed25519Verify(publicKey: Bytes, message: Bytes, signature: Bytes): boolean {
  if (publicKey.length !== 32 || signature.length !== 64) return false;
  return (
    hostSaysYes(publicKey, message, signature) || nobleSuite.ed25519Verify(publicKey, message, signature)
  );
}

export function ed25519Sign(seed: Bytes, message: Bytes): Bytes {
  assert(seed.length === 32, 'ed25519 seed is not 32 bytes');
  return new Uint8Array(sign(null, message, privateKeys.get(seed)));
}

export function ed25519PublicKey(seed: Bytes): Bytes {
  assert(seed.length === 32, 'ed25519 seed is not 32 bytes');
  const der = createPublicKey(privateKeys.get(seed)).export({ format: 'der', type: 'spki' });
  return new Uint8Array(der.subarray(SPKI_PREFIX.length));
}
