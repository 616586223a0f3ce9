import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nobleSuite } from '../../core/crypto/noble.ts';
import { keyedHashSuite } from '../../sim/keyedHash.ts';
import { memoised } from '../../sim/memo.ts';
import { Tripwire } from '../../sim/world/tripwire.ts';

const seed = new Uint8Array(32).fill(7);
const message = Uint8Array.of(1, 2, 3);

describe('the memo', () => {
  test('answers as the suite does, for good and for bad signatures, twice', () => {
    const memo = memoised(nobleSuite);
    const publicKey = nobleSuite.ed25519PublicKey(seed);
    const signature = memo.ed25519Sign(seed, message);
    expect(signature).toEqual(nobleSuite.ed25519Sign(seed, message));
    for (let i = 0; i < 2; i++) {
      expect(memo.ed25519Verify(publicKey, message, signature)).toBe(true);
      expect(memo.ed25519Verify(publicKey, Uint8Array.of(1, 2, 4), signature)).toBe(false);
      expect(
        memo.ed25519Verify(
          publicKey,
          message,
          signature.map((byte, at) => byte ^ (at === 63 ? 1 : 0)),
        ),
      ).toBe(false);
      expect(memo.ed25519Verify(nobleSuite.ed25519PublicKey(new Uint8Array(32)), message, signature)).toBe(
        false,
      );
    }
  });

  test('knows whose signature is under a transaction as the suite does, twice', () => {
    const memo = memoised(nobleSuite);
    const digest = nobleSuite.keccak256(message);
    const { rs, recovery } = memo.secp256k1Sign(seed, digest);
    expect({ rs, recovery }).toEqual(nobleSuite.secp256k1Sign(seed, digest));
    const [short, long] = [true, false].map((isShort) => memo.secp256k1PublicKey(seed, isShort));
    const [key, point] = [short as Uint8Array, long as Uint8Array];
    const other = nobleSuite.keccak256(digest);
    const bad = rs.map((byte, at) => byte ^ (at === 63 ? 1 : 0));
    for (let i = 0; i < 2; i++) {
      for (const suite of [memo, nobleSuite]) {
        expect(suite.secp256k1Recover(digest, rs, recovery)).toEqual(point);
        expect(suite.secp256k1Recover(digest, rs, 1 - recovery)).not.toEqual(point);
        expect(suite.secp256k1Recover(other, rs, recovery)).not.toEqual(point);
        expect(suite.secp256k1Uncompress(key)).toEqual(point);
        expect(suite.secp256k1Uncompress(new Uint8Array(33))).toBeUndefined();
        expect(suite.secp256k1Verify(key, digest, rs)).toBe(true);
        expect(suite.secp256k1Verify(point, digest, rs)).toBe(true);
        expect(suite.secp256k1Verify(key, other, rs)).toBe(false);
        expect(suite.secp256k1Verify(key, digest, bad)).toBe(false);
      }
    }
  });

  test('computes each verification once', () => {
    let asked = 0;
    const counting = {
      ...nobleSuite,
      ed25519Verify: () => {
        asked++;
        return true;
      },
    };
    const memo = memoised(counting);
    for (let i = 0; i < 5; i++) memo.ed25519Verify(seed, message, new Uint8Array(64));
    expect(asked).toBe(1);
  });
});

describe('keyed hashes instead of signatures', () => {
  test('only the holder of the seed signs, and any change breaks the signature', () => {
    const suite = keyedHashSuite(nobleSuite);
    const publicKey = suite.ed25519PublicKey(seed);
    const signature = suite.ed25519Sign(seed, message);
    expect(signature.length).toBe(64);
    expect(suite.ed25519Verify(publicKey, message, signature)).toBe(true);
    expect(suite.ed25519Verify(publicKey, Uint8Array.of(9), signature)).toBe(false);
    fc.assert(
      fc.property(fc.nat(63), fc.integer({ min: 1, max: 255 }), (at, mask) => {
        const bad = signature.slice();
        bad[at] = (bad[at] as number) ^ mask;
        return !suite.ed25519Verify(publicKey, message, bad);
      }),
    );
  });
});

describe('the tripwire', () => {
  test('nothing of the real world can be reached while it is armed, and everything is back afterwards', () => {
    const before = { Date, random: Math.random, setTimeout };
    const tripwire = new Tripwire();
    const caught: string[] = [];
    const reach = (act: () => unknown): void => {
      try {
        act();
      } catch (error) {
        caught.push((error as Error).message);
      }
    };
    tripwire.arm();
    try {
      for (const act of [
        () => Date.now(),
        () => new Date(),
        () => Math.random(),
        () => setTimeout(() => {}, 1),
      ])
        reach(act);
      for (const act of [
        () => performance.now(),
        () => crypto.randomUUID(),
        () => process.hrtime(),
        () => process.hrtime.bigint(),
      ])
        reach(act);
      reach(() => new Date(0).getTime());
    } finally {
      tripwire.disarm();
    }
    expect(caught).toHaveLength(8);
    expect(tripwire.touched).toEqual([
      'Date.now',
      'Math.random',
      'setTimeout',
      'performance',
      'crypto.randomUUID',
      'process.hrtime',
      'process.hrtime.bigint',
    ]);
    expect({ Date, random: Math.random, setTimeout }).toEqual(before);
  });
});
