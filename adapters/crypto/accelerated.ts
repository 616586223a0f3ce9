import { hash } from 'node:crypto';
import { createKeccak } from 'hash-wasm';
import { sha256 as shortSha256 } from '../../core/crypto/hash.ts';
import type { CryptoSuite } from '../../core/crypto/suite.ts';
import type { Bytes } from '../../core/lib/bytes.ts';
import { ed25519PublicKey, ed25519Sign, ed25519Verify } from './ed25519.ts';
import { loadNative, secp256k1Suite } from './secp256k1.ts';

/** From this size on, the host's hash is faster despite its call overhead. */
const HOST_HASH_BYTES_MIN = 128;

const sha256 = (message: Bytes): Bytes =>
  message.length < HOST_HASH_BYTES_MIN
    ? shortSha256(message)
    : new Uint8Array(hash('sha256', message, 'buffer'));

/**
 * The suite of a real node: node:crypto for ed25519 and long SHA-256, WebAssembly for keccak256, libsecp256k1 if its
 * binding loads. test/adapters/crypto proves it equal to the noble reference, including forged and unusual signatures.
 */
export async function acceleratedSuite(): Promise<CryptoSuite> {
  const keccak = await createKeccak(256);
  return {
    name: 'accelerated',
    sha256,
    keccak256: (message) => keccak.init().update(message).digest('binary'),
    ed25519PublicKey,
    ed25519Sign,
    ed25519Verify,
    ...secp256k1Suite(loadNative()),
  };
}
