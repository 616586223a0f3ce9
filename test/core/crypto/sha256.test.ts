import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sha256 } from '../../../core/crypto/hash.ts';
import { nobleSuite } from '../../../core/crypto/noble.ts';

const host = (message: Uint8Array): Uint8Array =>
  new Uint8Array(createHash('sha256').update(message).digest());

test('SHA-256 is that of noble and of the host at every length around its blocks', () => {
  const message = new Uint8Array(300).map((_, i) => (i * 89 + 7) % 256);
  for (let length = 0; length <= message.length; length++) {
    const one = message.subarray(0, length);
    expect(sha256(one)).toEqual(host(one));
    expect(nobleSuite.sha256(one)).toEqual(sha256(one));
  }
});

test('SHA-256 of any message is that of the host', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 1000 }), (message) => {
      expect(sha256(message)).toEqual(host(message));
    }),
  );
  const long = new Uint8Array(1_000_003).map((_, i) => i % 253);
  expect(sha256(long)).toEqual(host(long));
});
