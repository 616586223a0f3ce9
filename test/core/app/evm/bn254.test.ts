import { NobleBN254 } from '@ethereumjs/evm';
import { bn254 } from '@noble/curves/bn254.js';
import { describe, expect, test } from 'vitest';
import { QuickBn254 } from '../../../../core/app/evm/bn254.ts';
import { bigintToFixed } from '../../../../core/app/evm/numbers.ts';
import { type Bytes, concat, EMPTY, joined } from '../../../../core/lib/bytes.ts';
import { refusal } from '../support/refusal.ts';

const { G1, fields } = bn254;
const ORDER = fields.Fr.ORDER;
const [quick, library] = [new QuickBn254(), new NobleBN254()];

const words = (...values: readonly bigint[]): Bytes =>
  joined(values.map((value) => bigintToFixed(value, 32)));
const point = (times: bigint): Bytes => {
  if (times === 0n) return words(0n, 0n);
  const { x, y } = G1.Point.BASE.multiply(times).toAffine();
  return words(x, y);
};

describe('the curve of EIP-196', () => {
  test.each([
    [3n, 5n],
    [7n, 7n],
    [9n, ORDER - 9n],
    [4n, 0n],
    [0n, 0n],
  ])('adds %i and %i of the generator as the library does', (a, b) => {
    const input = concat(point(a), point(b));
    expect(quick.add(input)).toEqual(library.add(input));
  });

  test.each([0n, 1n, 2n, ORDER - 1n, ORDER, ORDER + 3n, 2n ** 256n - 1n])(
    'multiplies by %i as the library does',
    (times) => {
      for (const start of [point(1n), point(77n), point(0n)]) {
        const input = concat(start, words(times));
        expect(quick.mul(input)).toEqual(library.mul(input));
      }
    },
  );

  test('refuses points off the curve and invalid field elements', () => {
    const outside = words(fields.Fp.ORDER, 2n);
    for (const rest of [EMPTY, point(1n)]) {
      expect(refusal(() => quick.add(concat(words(1n, 1n), point(1n), rest)))).toBe('revert');
      expect(refusal(() => quick.add(concat(point(1n), outside, rest)))).toBe('fp point not in field');
      expect(refusal(() => quick.mul(concat(outside, words(2n), rest)))).toBe('fp point not in field');
    }
  });
});
