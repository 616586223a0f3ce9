import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nodeKeyExchange } from '../../../adapters/crypto/keyExchange.ts';
import { connectionSecrets, nobleKeyExchange } from '../../../core/p2p/handshake.ts';

const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 });

/** Points of small order on curve25519 (RFC 7748 §6.1 and its twist), whose product with any secret is zero. */
const LOW_ORDER = [
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000000',
  'e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800',
  '5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
].map((text) => new Uint8Array(Buffer.from(text, 'hex')));

test('the fast key exchange equals the reference for any 32 bytes', () => {
  fc.assert(
    fc.property(bytes32, bytes32, (secret, remote) => {
      expect(nodeKeyExchange.publicKey(secret)).toEqual(nobleKeyExchange.publicKey(secret));
      expect(nodeKeyExchange.shared(secret, remote)).toEqual(nobleKeyExchange.shared(secret, remote));
    }),
    { numRuns: 30 },
  );
});

test('points of low order are refused by both', () => {
  const secret = new Uint8Array(32).fill(9);
  for (const point of LOW_ORDER)
    for (const exchange of [nodeKeyExchange, nobleKeyExchange])
      expect(connectionSecrets(secret, point, exchange)).toEqual({
        ok: false,
        error: 'ephemeral key of low order',
      });
});
