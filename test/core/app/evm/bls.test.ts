import { NobleBLS } from '@ethereumjs/evm';
import { bls12_381 } from '@noble/curves/bls12-381.js';
import { describe, expect, test } from 'vitest';
import { BLS_G1_MSM, BLS_G2_MSM, QuickBls } from '../../../../core/app/evm/bls.ts';
import { bigintToFixed } from '../../../../core/app/evm/numbers.ts';
import type { Sliced } from '../../../../core/app/evm/slices.ts';
import { type Bytes, concat, joined } from '../../../../core/lib/bytes.ts';
import { refusal } from '../support/refusal.ts';

const { G1, G2, fields } = bls12_381;
const [quick, library] = [new QuickBls(), new NobleBLS()];
const sumOf = <T>(work: Sliced<T>, input: Bytes): Bytes => work.end(work.add(work.begin(), input));
const field = (value: bigint): Bytes => bigintToFixed(value, 64);

const g1 = (times: bigint): Bytes => {
  const { x, y } = times === 0n ? { x: 0n, y: 0n } : G1.Point.BASE.multiply(times).toAffine();
  return concat(field(x), field(y));
};
const g2 = (times: bigint): Bytes => {
  if (times === 0n) return new Uint8Array(256);
  const { x, y } = G2.Point.BASE.multiply(times).toAffine();
  return concat(field(x.c0), field(x.c1), field(y.c0), field(y.c1));
};
const scalar = (value: bigint): Bytes => bigintToFixed(value, 32);

/** On the curve, and outside of the subgroup. */
function strangerOfG1(): Bytes {
  const { Fp } = fields;
  for (let x = 1n; ; x++) {
    try {
      const y = Fp.sqrt(Fp.add(Fp.pow(x, 3n), 4n));
      if (!G1.Point.fromAffine({ x, y }).isTorsionFree()) return concat(field(x), field(y));
    } catch {
      // No point has this x.
    }
  }
}

describe('the curve of EIP-2537', () => {
  test('adds as the library does: others, equals, opposites, nothing', () => {
    const order = fields.Fr.ORDER;
    for (const [a, b] of [
      [3n, 5n],
      [7n, 7n],
      [9n, order - 9n],
      [4n, 0n],
      [0n, 0n],
    ] as const) {
      expect(quick.addG1(concat(g1(a), g1(b)))).toEqual(library.addG1(concat(g1(a), g1(b))));
      expect(quick.addG2(concat(g2(a), g2(b)))).toEqual(library.addG2(concat(g2(a), g2(b))));
    }
  });

  test.each([1, 3, 4, 9])('sums %i products as the library does', (count) => {
    const scalars = [0n, 1n, fields.Fr.ORDER, fields.Fr.ORDER + 2n, 2n ** 256n - 1n, 12_345n];
    const pairs = (point: (times: bigint) => Bytes): Bytes =>
      joined(
        Array.from({ length: count }, (_, i) =>
          concat(point(BigInt(i)), scalar(scalars[i % scalars.length] as bigint)),
        ),
      );
    expect(sumOf(BLS_G1_MSM, pairs(g1))).toEqual(library.msmG1(pairs(g1)));
    expect(sumOf(BLS_G2_MSM, pairs(g2))).toEqual(library.msmG2(pairs(g2)));
  });

  test('adds any point on the curve, and multiplies only points of the subgroup', () => {
    const stranger = strangerOfG1();
    expect(quick.addG1(concat(stranger, g1(1n)))).toEqual(library.addG1(concat(stranger, g1(1n))));
    expect(refusal(() => sumOf(BLS_G1_MSM, concat(stranger, scalar(1n))))).toBe(
      'g1 point is not on correct subgroup',
    );
  });

  test('refuses points off the curve and invalid field elements', () => {
    const off = concat(field(1n), field(1n));
    const outside = concat(field(fields.Fp.ORDER), field(2n));
    expect(refusal(() => quick.addG1(concat(off, g1(1n))))).toBe('point not on curve');
    expect(refusal(() => quick.addG1(concat(g1(1n), outside)))).toBe('fp point not in field');
    expect(refusal(() => quick.addG2(concat(off, off, g2(1n))))).toBe('point not on curve');
    expect(refusal(() => quick.addG2(concat(g2(1n), outside, off)))).toBe('fp point not in field');
  });
});
