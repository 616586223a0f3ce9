import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nodeAead } from '../../../adapters/crypto/aead.ts';
import { nobleAead } from '../../../core/p2p/sealed.ts';

const bytes = (length: number): fc.Arbitrary<Uint8Array> =>
  fc.uint8Array({ minLength: length, maxLength: length });

test('the fast cipher seals and opens like the reference, and refuses changed bytes', () => {
  fc.assert(
    fc.property(
      bytes(32),
      bytes(12),
      fc.uint8Array({ maxLength: 1100 }),
      fc.nat(),
      (key, nonce, plain, at) => {
        const sealed = nodeAead.seal(key, nonce, plain);
        expect(sealed).toEqual(nobleAead.seal(key, nonce, plain));
        expect(nodeAead.open(key, nonce, sealed)).toEqual(plain);
        expect(nobleAead.open(key, nonce, sealed)).toEqual(plain);
        const changed = sealed.slice();
        changed[at % changed.length] = (changed[at % changed.length] as number) ^ 1;
        expect(nodeAead.open(key, nonce, changed)).toBeUndefined();
        expect(nobleAead.open(key, nonce, changed)).toBeUndefined();
      },
    ),
    { numRuns: 50 },
  );
  expect(nodeAead.open(new Uint8Array(32), new Uint8Array(12), new Uint8Array(15))).toBeUndefined();
});
