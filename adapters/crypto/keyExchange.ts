import { createPrivateKey, createPublicKey, diffieHellman } from 'node:crypto';
import type { Bytes } from '../../core/lib/bytes.ts';
import type { KeyExchange } from '../../core/p2p/handshake.ts';

/** DER of a raw X25519 key (RFC 8410): SubjectPublicKeyInfo and PKCS#8. */
const SPKI_PREFIX = Buffer.from('302a300506032b656e032100', 'hex');
const PKCS8_PREFIX = Buffer.from('302e020100300506032b656e04220420', 'hex');

const privateKey = (secret: Bytes) =>
  createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, secret]), format: 'der', type: 'pkcs8' });

/** X25519 of node:crypto: a stranger who dials must not cost milliseconds. */
export const nodeKeyExchange: KeyExchange = {
  publicKey(secret) {
    const der = createPublicKey(privateKey(secret)).export({ format: 'der', type: 'spki' });
    return new Uint8Array(der.subarray(SPKI_PREFIX.length));
  },
  shared(secret, remotePublic) {
    try {
      const publicKey = createPublicKey({
        key: Buffer.concat([SPKI_PREFIX, remotePublic]),
        format: 'der',
        type: 'spki',
      });
      return new Uint8Array(diffieHellman({ privateKey: privateKey(secret), publicKey }));
    } catch {
      // OpenSSL refuses the low-order points, as it must.
      return undefined;
    }
  },
};
