import { ed25519 } from '@noble/curves/ed25519.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { sha256, sha512 } from '@noble/hashes/sha2.js';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { acceleratedSuite } from '../../../adapters/crypto/accelerated.ts';
import { KeyCache } from '../../../adapters/crypto/keyCache.ts';
import { secp256k1Suite } from '../../../adapters/crypto/secp256k1.ts';
import { nobleSuite } from '../../../core/crypto/noble.ts';
import type { CryptoSuite } from '../../../core/crypto/suite.ts';
import { concat, hex, toHex } from '../../../core/lib/bytes.ts';

let fast: CryptoSuite;
beforeAll(async () => {
  fast = await acceleratedSuite();
});

const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 });
const message = fc.uint8Array({ maxLength: 400 });
const L = 2n ** 252n + 27742317777372353535851937790883648493n;
const N = secp256k1.Point.CURVE().n;

const littleEndian = (value: bigint): Uint8Array => {
  const out = new Uint8Array(32);
  for (let i = 0, rest = value; i < 32; i++, rest >>= 8n) out[i] = Number(rest & 255n);
  return out;
};
const bigEndian = (value: bigint): Uint8Array => littleEndian(value).reverse();
const fromLittleEndian = (bytes: Uint8Array): bigint => BigInt(`0x${toHex(bytes.slice().reverse())}`);
const bitFlipped = (bytes: Uint8Array, bit: number): Uint8Array => {
  const out = bytes.slice();
  out[(bit >> 3) % out.length] = (out[(bit >> 3) % out.length] as number) ^ (1 << (bit & 7));
  return out;
};

/** Encodings of the eight small-order points, the non-canonical ones included (ZIP-215's list). */
const SMALL_ORDER = [
  '0100000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000080',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0000000000000000000000000000000000000000000000000000000000000080',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
].map(hex);

function expectSameVerdict(key: Uint8Array, text: Uint8Array, signature: Uint8Array): boolean {
  const verdict = nobleSuite.ed25519Verify(key, text, signature);
  expect(fast.ed25519Verify(key, text, signature)).toBe(verdict);
  return verdict;
}

describe('accelerated ed25519', () => {
  test('makes the keys and signatures of noble', () => {
    fc.assert(
      fc.property(bytes32, message, (seed, text) => {
        const key = nobleSuite.ed25519PublicKey(seed);
        expect(fast.ed25519PublicKey(seed)).toEqual(key);
        const signature = nobleSuite.ed25519Sign(seed, text);
        expect(fast.ed25519Sign(seed, text)).toEqual(signature);
        expect(expectSameVerdict(key, text, signature)).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  test('agrees with noble on corrupted signatures, keys and messages', () => {
    fc.assert(
      fc.property(bytes32, message, fc.nat(255), fc.nat(511), (seed, text, keyBit, bit) => {
        const key = nobleSuite.ed25519PublicKey(seed);
        const signature = nobleSuite.ed25519Sign(seed, text);
        expectSameVerdict(bitFlipped(key, keyBit), text, signature);
        expectSameVerdict(key, text, bitFlipped(signature, bit));
        expectSameVerdict(key, concat(text, Uint8Array.of(0)), signature);
      }),
      { numRuns: 30 },
    );
  });

  test('accepts every signature of small-order points that ZIP-215 accepts', () => {
    const text = Uint8Array.of(1, 2, 3);
    let accepted = 0;
    for (const key of SMALL_ORDER) {
      for (const r of SMALL_ORDER) {
        const signature = concat(r, new Uint8Array(32));
        if (expectSameVerdict(key, text, signature)) accepted++;
      }
    }
    // s = 0 and both points of small order: the cofactored equation always holds (ZIP-215).
    expect(accepted).toBe(SMALL_ORDER.length ** 2);
  });

  test('accepts mixed-torsion keys and commitments as ZIP-215 does', () => {
    const torsion = ed25519.Point.fromBytes(SMALL_ORDER[6] as Uint8Array, true);
    let rescued = 0;
    fc.assert(
      fc.property(
        bytes32,
        message,
        fc.integer({ min: 0, max: 7 }),
        fc.integer({ min: 0, max: 7 }),
        (seed, text, i, j) => {
          const secret = fromLittleEndian(sha512(seed).slice(0, 32)) % L;
          const nonce = fromLittleEndian(sha512(text).slice(0, 32)) % L;
          const shift = (times: number) =>
            times === 0 ? ed25519.Point.ZERO : torsion.multiplyUnsafe(BigInt(times));
          const key = ed25519.Point.BASE.multiplyUnsafe(secret).add(shift(i)).toBytes();
          const r = ed25519.Point.BASE.multiplyUnsafe(nonce).add(shift(j)).toBytes();
          const hashed = fromLittleEndian(sha512(concat(r, key, text))) % L;
          const s = (nonce + hashed * secret) % L;
          expect(expectSameVerdict(key, text, concat(r, littleEndian(s)))).toBe(true);
          if (i + j > 0) rescued++;
          // s + L is the same scalar in another encoding: malleable, refused by both.
          expect(expectSameVerdict(key, text, concat(r, littleEndian(s + L)))).toBe(false);
        },
      ),
      { numRuns: 25 },
    );
    expect(rescued).toBeGreaterThan(0);
  });

  test('agrees with noble on zero keys, full bytes and wrong lengths', () => {
    const odd = [new Uint8Array(32), new Uint8Array(32).fill(255), new Uint8Array(31), new Uint8Array(33)];
    const signatures = [
      new Uint8Array(64),
      new Uint8Array(64).fill(255),
      new Uint8Array(63),
      new Uint8Array(65),
    ];
    for (const key of odd)
      for (const signature of signatures) expectSameVerdict(key, Uint8Array.of(1), signature);
  });
});

test('the least recently used key leaves a full cache', () => {
  const made: number[] = [];
  const cache = new KeyCache(2, (raw) => {
    made.push(raw[0] as number);
    return raw[0];
  });
  for (const key of [1, 2, 1, 3, 1, 2]) expect(cache.get(Uint8Array.of(key))).toBe(key);
  expect(made).toEqual([1, 2, 3, 2]);
  expect(cache.size).toBe(2);
});

describe('accelerated secp256k1', () => {
  const secret = bytes32.filter((bytes) => secp256k1.utils.isValidSecretKey(bytes));

  test('makes the keys, signatures and recoveries of noble', () => {
    fc.assert(
      fc.property(secret, bytes32, (key, digest) => {
        const [short, long] = [
          nobleSuite.secp256k1PublicKey(key, true),
          nobleSuite.secp256k1PublicKey(key, false),
        ];
        expect(fast.secp256k1PublicKey(key, true)).toEqual(short);
        expect(fast.secp256k1PublicKey(key, false)).toEqual(long);
        const signature = nobleSuite.secp256k1Sign(key, digest);
        expect(fast.secp256k1Sign(key, digest)).toEqual(signature);
        expect(nobleSuite.secp256k1Recover(digest, signature.rs, signature.recovery)).toEqual(long);
        expect(fast.secp256k1Recover(digest, signature.rs, signature.recovery)).toEqual(long);
        for (const publicKey of [short, long]) {
          expect(nobleSuite.secp256k1Verify(publicKey, digest, signature.rs)).toBe(true);
          expect(fast.secp256k1Verify(publicKey, digest, signature.rs)).toBe(true);
        }
      }),
      { numRuns: 25 },
    );
  });

  test('agrees with noble on high s, corrupted and random signatures', () => {
    fc.assert(
      fc.property(secret, bytes32, fc.nat(511), fc.nat(3), (key, digest, bit, recovery) => {
        const publicKey = nobleSuite.secp256k1PublicKey(key, true);
        const { rs } = nobleSuite.secp256k1Sign(key, digest);
        const s = BigInt(`0x${toHex(rs.subarray(32))}`);
        const high = concat(rs.subarray(0, 32), bigEndian(N - s));
        expect(fast.secp256k1Verify(publicKey, digest, high)).toBe(false);
        for (const candidate of [high, bitFlipped(rs, bit), concat(digest, key)]) {
          const [mine, reference] = [fast, nobleSuite].map((suite) => [
            suite.secp256k1Recover(digest, candidate, recovery),
            suite.secp256k1Verify(publicKey, digest, candidate),
          ]);
          expect(mine).toEqual(reference);
        }
      }),
      { numRuns: 25 },
    );
  });

  test('agrees with noble on digests, r and s at and beyond the order', () => {
    const secretKey = hex('ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80');
    const edges = [0n, 1n, N - 1n, N, N + 1n, N / 2n, N / 2n + 1n, 2n ** 256n - 1n].map(bigEndian);
    const publicKey = nobleSuite.secp256k1PublicKey(secretKey, true);
    for (const digest of edges) {
      expect(fast.secp256k1Sign(secretKey, digest)).toEqual(nobleSuite.secp256k1Sign(secretKey, digest));
      for (const r of edges) {
        for (const s of edges) {
          const rs = concat(r, s);
          expect(fast.secp256k1Verify(publicKey, digest, rs)).toBe(
            nobleSuite.secp256k1Verify(publicKey, digest, rs),
          );
          expect(fast.secp256k1Recover(digest, rs, 0)).toEqual(nobleSuite.secp256k1Recover(digest, rs, 0));
        }
      }
    }
  });

  test('agrees with noble on keys of wrong length, prefix or off the curve', () => {
    const digest = sha256(Uint8Array.of(1));
    const rs = nobleSuite.secp256k1Sign(digest, digest).rs;
    const long = nobleSuite.secp256k1PublicKey(digest, false);
    const hybrid = long.slice();
    hybrid[0] = 6 + ((long[64] as number) & 1);
    const off = long.slice();
    off[64] = (off[64] as number) ^ 1;
    for (const key of [hybrid, off, new Uint8Array(0), new Uint8Array(33), long.subarray(0, 64)]) {
      expect(nobleSuite.secp256k1Verify(key, digest, rs)).toBe(false);
      expect(fast.secp256k1Verify(key, digest, rs)).toBe(false);
    }
    expect(fast.secp256k1Recover(digest.subarray(1), rs, 0)).toBeUndefined();
    expect(fast.secp256k1Recover(digest, rs.subarray(1), 0)).toBeUndefined();
  });

  test('opens the keys that noble opens, and no others', () => {
    const random = fc
      .tuple(fc.constantFrom(0, 2, 3, 4, 6), bytes32)
      .map(([prefix, x]) => concat(Uint8Array.of(prefix), x));
    fc.assert(
      fc.property(fc.oneof(random, fc.uint8Array({ maxLength: 66 })), (key) => {
        expect(fast.secp256k1Uncompress(key)).toEqual(nobleSuite.secp256k1Uncompress(key));
      }),
    );
    const [short, long] = [true, false].map((isShort) =>
      nobleSuite.secp256k1PublicKey(sha256(Uint8Array.of(2)), isShort),
    );
    expect(fast.secp256k1Uncompress(short as Uint8Array)).toEqual(long);
    expect(nobleSuite.secp256k1Uncompress(short as Uint8Array)).toEqual(long);
    expect(fast.secp256k1Uncompress(long as Uint8Array)).toBeUndefined();
  });

  test('without a native binding is noble', () => {
    expect(secp256k1Suite(undefined)).toBe(nobleSuite);
  });
});

test('accelerated hashes are those of noble', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 700 }), (text) => {
      expect(fast.sha256(text)).toEqual(nobleSuite.sha256(text));
      expect(fast.keccak256(text)).toEqual(nobleSuite.keccak256(text));
    }),
  );
});

test('nothing that comes out is a Buffer', () => {
  const seed = new Uint8Array(32).fill(7);
  const outputs = [
    fast.sha256(seed),
    fast.sha256(new Uint8Array(1000)),
    fast.keccak256(seed),
    fast.ed25519PublicKey(seed),
    fast.ed25519Sign(seed, seed),
    fast.secp256k1PublicKey(seed, true),
    fast.secp256k1Sign(seed, seed).rs,
    fast.secp256k1Uncompress(fast.secp256k1PublicKey(seed, true)),
  ];
  for (const output of outputs) expect(Object.getPrototypeOf(output)).toBe(Uint8Array.prototype);
});
