import { secp256k1 } from '@noble/curves/secp256k1.js';
import { assert } from '../lib/assert.ts';
import type { Bytes } from '../lib/bytes.ts';
import type { Address } from '../types/ids.ts';
import type { PublicKey } from '../types/validator.ts';
import { keccak256, ripemd160, sha256 } from './hash.ts';

/** First 20 bytes of SHA-256 of the 32-byte key, as in CometBFT. */
export function ed25519Address(publicKey: Bytes): Address {
  assert(publicKey.length === 32, 'ed25519 public key is not 32 bytes');
  return sha256(publicKey).slice(0, 20);
}

/** Last 20 bytes of keccak256(X ‖ Y) of a valid compressed (33) or uncompressed (65 bytes) secp256k1 key. */
export function ethAddress(publicKey: Bytes): Address {
  const point = publicKey.length === 65 ? publicKey : secp256k1.Point.fromBytes(publicKey).toBytes(false);
  assert(point.length === 65 && point[0] === 4, 'not a secp256k1 public key');
  return keccak256(point.subarray(1)).slice(12);
}

/** A validator's address. For secp256k1 it is RIPEMD160(SHA256(compressed key)), not the Ethereum address. */
export function validatorAddress(key: PublicKey): Address {
  if (key.type === 'ed25519') return ed25519Address(key.bytes);
  assert(key.bytes.length === 33, 'secp256k1 public key is not 33 bytes');
  return ripemd160(sha256(key.bytes));
}
