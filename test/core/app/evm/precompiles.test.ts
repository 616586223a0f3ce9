/** The precompiles that do long work in slices, beside the library's own, which do it in one go. */
import {
  createEVM,
  type EVM,
  type ExecResult,
  getActivePrecompiles,
  type PrecompileInput,
} from '@ethereumjs/evm';
import { bls12_381 } from '@noble/curves/bls12-381.js';
import { bn254 } from '@noble/curves/bn254.js';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { createCommon } from '../../../../core/app/evm/engine.ts';
import { bigintToFixed } from '../../../../core/app/evm/numbers.ts';
import type { Precompile } from '../../../../core/app/evm/precompile.ts';
import { looking, precompilesOf } from '../../../../core/app/evm/precompiles.ts';
import { nobleSuite } from '../../../../core/crypto/noble.ts';
import { type Bytes, concat, joined, toHex } from '../../../../core/lib/bytes.ts';
import type { ForkName } from '../../../../core/types/fork.ts';

const FORKS: readonly ForkName[] = ['prague', 'osaka'];
const hexOf = (address: number): string => address.toString(16).padStart(40, '0');
const word = (value: bigint): Bytes => bigintToFixed(value, 32);
const field = (value: bigint): Bytes => bigintToFixed(value, 64);

const bnG1 = (times: bigint): Bytes => {
  if (times === 0n) return new Uint8Array(64);
  const { x, y } = bn254.G1.Point.BASE.multiply(times).toAffine();
  return concat(word(x), word(y));
};
const bnG2 = (times: bigint): Bytes => {
  if (times === 0n) return new Uint8Array(128);
  const { x, y } = bn254.G2.Point.BASE.multiply(times).toAffine();
  return concat(word(x.c1), word(x.c0), word(y.c1), word(y.c0));
};
const blsG1 = (times: bigint): Bytes => {
  if (times === 0n) return new Uint8Array(128);
  const { x, y } = bls12_381.G1.Point.BASE.multiply(times).toAffine();
  return concat(field(x), field(y));
};
const blsG2 = (times: bigint): Bytes => {
  if (times === 0n) return new Uint8Array(256);
  const { x, y } = bls12_381.G2.Point.BASE.multiply(times).toAffine();
  return concat(field(x.c0), field(x.c1), field(y.c0), field(y.c1));
};

/** e(aG, bH) · e(cG, dH), which is one if ab + cd is zero. */
const bnPairs = (a: bigint, b: bigint, c: bigint, d: bigint): Bytes =>
  concat(bnG1(a), bnG2(b), bnG1(c), bnG2(d));
const blsPairs = (a: bigint, b: bigint, c: bigint, d: bigint): Bytes =>
  concat(blsG1(a), blsG2(b), blsG1(c), blsG2(d));
const products = (point: (times: bigint) => Bytes, count: number): Bytes =>
  joined(Array.from({ length: count }, (_, i) => concat(point(BigInt(i % 5)), word(BigInt(7 * i) ** 9n))));
const minusOne = (order: bigint): bigint => order - 1n;
const BN_MINUS = minusOne(bn254.fields.Fr.ORDER);
const BLS_MINUS = minusOne(bls12_381.fields.Fr.ORDER);

/** On the twisted curve of BN254, and outside of the group. */
function bnStranger(): Bytes {
  const { Fp2 } = bn254.fields;
  for (let x = 1n; ; x++) {
    const at = Fp2.create({ c0: x, c1: 0n });
    try {
      const b = Fp2.sub(
        Fp2.sqr(bn254.G2.Point.BASE.y),
        Fp2.mul(Fp2.sqr(bn254.G2.Point.BASE.x), bn254.G2.Point.BASE.x),
      );
      const y = Fp2.sqrt(Fp2.add(Fp2.mul(Fp2.sqr(at), at), b));
      return concat(word(0n), word(x), word(y.c1), word(y.c0));
    } catch {
      // No point has this x.
    }
  }
}

const modexpInput = (base: Bytes, exponent: Bytes, modulus: Bytes): Bytes =>
  concat(...[base, exponent, modulus].map(({ length }) => word(BigInt(length))), base, exponent, modulus);
const blakeInput = (rounds: number, isLast: number): Bytes => {
  const input = Uint8Array.from({ length: 213 }, (_, i) => (i * 37 + 11) % 256);
  new DataView(input.buffer).setUint32(0, rounds);
  input[212] = isLast;
  return input;
};

interface Both {
  readonly ours: Precompile;
  readonly library: Precompile;
  readonly input: (data: Bytes, gasLimit: bigint) => PrecompileInput;
}
const engines = new Map<ForkName, EVM>();
beforeAll(async () => {
  for (const fork of FORKS)
    engines.set(fork, (await createEVM({ common: createCommon(9000n, fork, nobleSuite) })) as EVM);
});
function both(fork: ForkName, address: number): Both {
  const evm = engines.get(fork) as EVM;
  const ours = precompilesOf(evm.common).get(hexOf(address)) as Precompile;
  const library = getActivePrecompiles(evm.common).get(hexOf(address)) as Precompile;
  const input = (data: Bytes, gasLimit: bigint): PrecompileInput =>
    ({ data, gasLimit, common: evm.common, _EVM: evm, stateManager: evm.stateManager }) as PrecompileInput;
  return { ours, library, input };
}

/** What matters of a result; a failure is one whatever it says. */
const essence = ({ executionGasUsed, returnValue, exceptionError }: ExecResult) => ({
  executionGasUsed,
  returnValue: toHex(returnValue),
  isFailure: exceptionError !== undefined,
});

const INPUTS: readonly (readonly [what: string, address: number, data: () => Bytes])[] = [
  ['pairs of BN254 whose product is one', 0x08, () => bnPairs(6n, 1n, BN_MINUS, 6n)],
  ['pairs of BN254 whose product is another', 0x08, () => bnPairs(6n, 1n, BN_MINUS, 5n)],
  ['no pair of BN254', 0x08, () => new Uint8Array(0)],
  [
    'pairs of BN254 with infinity',
    0x08,
    () => concat(bnPairs(0n, 3n, 3n, 0n), bnPairs(2n, 3n, BN_MINUS, 6n)),
  ],
  ['a pair of BN254 outside of the group', 0x08, () => concat(bnG1(1n), bnStranger())],
  ['infinity with a point outside of the group', 0x08, () => concat(bnG1(0n), bnStranger())],
  [
    'a point off the curve in the second pair',
    0x08,
    () => concat(bnG1(1n), bnG2(1n), word(1n), word(1n), bnG2(1n)),
  ],
  ['half a pair', 0x08, () => bnG1(1n)],
  ['pairs of BLS12-381 whose product is one', 0x0f, () => blsPairs(6n, 1n, BLS_MINUS, 6n)],
  ['pairs of BLS12-381 whose product is another', 0x0f, () => blsPairs(6n, 1n, BLS_MINUS, 5n)],
  [
    'pairs of BLS12-381 with infinity',
    0x0f,
    () => concat(blsPairs(0n, 3n, 3n, 0n), blsPairs(2n, 3n, BLS_MINUS, 6n)),
  ],
  ['no pair of BLS12-381', 0x0f, () => new Uint8Array(0)],
  ['a point of BLS12-381 off the curve', 0x0f, () => concat(field(1n), field(1n), blsG2(1n))],
  ['one product in G1', 0x0c, () => products(blsG1, 1)],
  ['forty products in G1', 0x0c, () => products(blsG1, 40)],
  ['ten products in G2', 0x0e, () => products(blsG2, 10)],
  ['no product', 0x0c, () => new Uint8Array(0)],
  ['part of a product', 0x0e, () => products(blsG2, 1).subarray(1)],
  ...[0, 1, 9, 10, 12, 40_000].map(
    (rounds) => [`${rounds} rounds of BLAKE2b`, 0x09, () => blakeInput(rounds, rounds % 2)] as const,
  ),
  ['a third kind of flag', 0x09, () => blakeInput(1, 2)],
  ['too little for BLAKE2b', 0x09, () => blakeInput(1, 1).subarray(1)],
];

describe.each(FORKS)('in %s', (fork) => {
  test.each(INPUTS)('%s: as the library, in one go and in slices', async (_, address, data) => {
    const { ours, library, input } = both(fork, address);
    const given = data();
    for (const gas of [10_000_000n, 40_000n, 0n]) {
      const expected = essence(await library(input(given, gas)));
      expect(essence(await ours(input(given, gas)))).toEqual(expected);
      expect(essence(await ours(input(given, gas), () => undefined))).toEqual(expected);
    }
  });

  test('powers: as the library', async () => {
    const { ours, library, input } = both(fork, 0x05);
    const bytes = (max: number) => fc.uint8Array({ maxLength: max });
    await fc.assert(
      fc.asyncProperty(bytes(70), bytes(70), bytes(70), fc.nat(200), async (base, exponent, modulus, cut) => {
        const whole = modexpInput(base, exponent, modulus);
        for (const data of [whole, whole.subarray(0, cut)]) {
          const expected = essence(await library(input(data, 1_000_000n)));
          expect(essence(await ours(input(data, 1_000_000n)))).toEqual(expected);
        }
      }),
    );
  });

  test('lengths beyond all bounds: as the library', async () => {
    const { ours, library, input } = both(fork, 0x05);
    const huge = [0n, 1n, 32n, 33n, 1024n, 1025n, 2n ** 31n, 2n ** 64n, 2n ** 256n - 1n];
    for (const base of huge)
      for (const exponent of huge)
        for (const modulus of huge) {
          const data = concat(word(base), word(exponent), word(modulus), word(3n));
          const expected = essence(await library(input(data, 30_000n)));
          expect(essence(await ours(input(data, 30_000n)))).toEqual(expected);
        }
  });
});

/** Calls of `look` that one call makes. */
async function looks(address: number, data: Bytes): Promise<number> {
  let count = 0;
  const { input } = both('prague', address);
  const precompiles = precompilesOf((engines.get('prague') as EVM).common);
  const look = (): undefined => void count++;
  await looking(precompiles, look).get(hexOf(address))?.(input(data, 10n ** 9n));
  return count;
}

test('others run between slices of long work, and after each call', async () => {
  expect(await looks(0x04, word(1n))).toBe(1);
  expect(await looks(0x09, blakeInput(100_000, 1))).toBe(7);
  expect(await looks(0x08, joined(Array.from({ length: 5 }, () => bnPairs(1n, 1n, 1n, 1n))))).toBe(10);
  expect(await looks(0x0f, blsPairs(1n, 1n, 2n, 2n))).toBe(2);
  expect(await looks(0x0c, products(blsG1, 40))).toBe(3);
  expect(await looks(0x0e, products(blsG2, 20))).toBe(3);
  const exponent = new Uint8Array(1000).fill(255);
  expect(await looks(0x05, modexpInput(Uint8Array.of(3), exponent, Uint8Array.of(7)))).toBe(33);
});

test('a time limit ends the work, and is no failure of the precompile', async () => {
  const { ours, input } = both('prague', 0x08);
  const look = (): never => {
    throw new Error('time is up');
  };
  await expect(async () => ours(input(bnPairs(1n, 1n, 1n, 1n), 10n ** 9n), look)).rejects.toThrow(
    'time is up',
  );
});

test('a long exponent takes time in proportion to its gas, and no text or number of that length', async () => {
  const { ours, input } = both('prague', 0x05);
  const length = 200_000;
  const exponent = new Uint8Array(length);
  exponent[0] = 1;
  const result = await ours(input(modexpInput(Uint8Array.of(3), exponent, Uint8Array.of(251)), 10n ** 9n));
  // 3 has order 125 or a divisor of 250 modulo 251, so the exponent counts modulo 250.
  let power = 1n;
  for (let i = 0; i < 8 * (length - 1); i++) power = (power * 2n) % 250n;
  expect(result.returnValue).toEqual(Uint8Array.of(Number(3n ** power % 251n)));
  expect(result.executionGasUsed).toBe((8n * BigInt(length - 32) + 248n) / 3n);
});
