import { createPrivateKey, createPublicKey, diffieHellman, type KeyObject } from 'node:crypto';
import type { Bytes } from '../../core/lib/bytes.ts';
import type { KeyExchange } from '../../core/p2p/handshake.ts';

const toText = (bytes: Bytes): string => Buffer.from(bytes).toString('base64url');
/** node:crypto requires a public key next to the secret, but computes its own. */
const ANY_PUBLIC = toText(new Uint8Array(32));

/** Imported as JWK: OpenSSL's DER decoder takes ten times as long. */
const privateKey = (secret: Bytes): KeyObject =>
  createPrivateKey({
    key: { kty: 'OKP', crv: 'X25519', d: toText(secret), x: ANY_PUBLIC },
    format: 'jwk',
  });

/** X25519 of node:crypto: an unknown peer that dials must not cost milliseconds. */
export const nodeKeyExchange: KeyExchange = {
  publicKey(secret) {
    const { x } = createPublicKey(privateKey(secret)).export({ format: 'jwk' });
    return new Uint8Array(Buffer.from(x as string, 'base64url'));
  },
  shared(secret, remotePublic) {
    try {
      const publicKey = createPublicKey({
        key: { kty: 'OKP', crv: 'X25519', x: toText(remotePublic) },
        format: 'jwk',
      });
      return new Uint8Array(diffieHellman({ privateKey: privateKey(secret), publicKey }));
    } catch {
      // OpenSSL refuses low-order points, as required.
      return undefined;
    }
  },
};
