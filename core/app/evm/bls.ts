import { EVMError, NobleBLS } from '@ethereumjs/evm';
import { pippenger } from '@noble/curves/abstract/curve.js';
import { bls12_381 } from '@noble/curves/bls12-381.js';
import { type Bytes, joined } from '../../lib/bytes.ts';
import { bigintToFixed, bytesToBigint } from './numbers.ts';
import type { Sliced } from './slices.ts';

const { G1, G2, fields } = bls12_381;
const { Fp, Fp2, Fp12, Fr } = fields;
type G1Point = typeof G1.Point.BASE;
type G2Point = typeof G2.Point.BASE;

/** Bytes of an encoded field element, which is left-padded with zeros (EIP-2537). */
const FIELD_BYTES = 64;
const [G1_BYTES, G2_BYTES, SCALAR_BYTES] = [2 * FIELD_BYTES, 4 * FIELD_BYTES, 32];
/** The constant b of y² = x³ + b (draft-irtf-cfrg-pairing-friendly-curves, section 4.2.1). */
const G1_B = Fp.create(4n);
const G2_B = Fp2.create({ c0: 4n, c1: 4n });

const { BLS_12_381_FP_NOT_IN_FIELD, BLS_12_381_POINT_NOT_ON_CURVE } = EVMError.errorMessages;
const failure = (words: string): EVMError => new EVMError(words as EVMError['error']);

function field(input: Bytes, place: number): bigint {
  const value = bytesToBigint(input.subarray(place * FIELD_BYTES, (place + 1) * FIELD_BYTES));
  if (value >= Fp.ORDER) throw failure(BLS_12_381_FP_NOT_IN_FIELD);
  return value;
}

/** All zeros encode the point at infinity. */
function g1Of(input: Bytes): G1Point {
  const [x, y] = [field(input, 0), field(input, 1)];
  if (x === 0n && y === 0n) return G1.Point.ZERO;
  if (Fp.sqr(y) !== Fp.add(Fp.mul(Fp.sqr(x), x), G1_B)) throw failure(BLS_12_381_POINT_NOT_ON_CURVE);
  return G1.Point.fromAffine({ x, y });
}

function g2Of(input: Bytes): G2Point {
  const x = Fp2.create({ c0: field(input, 0), c1: field(input, 1) });
  const y = Fp2.create({ c0: field(input, 2), c1: field(input, 3) });
  if (Fp2.is0(x) && Fp2.is0(y)) return G2.Point.ZERO;
  const isOnCurve = Fp2.eql(Fp2.sqr(y), Fp2.add(Fp2.mul(Fp2.sqr(x), x), G2_B));
  if (!isOnCurve) throw failure(BLS_12_381_POINT_NOT_ON_CURVE);
  return G2.Point.fromAffine({ x, y });
}

const bytesOf = (...values: readonly bigint[]): Bytes =>
  joined(values.map((value) => bigintToFixed(value, FIELD_BYTES)));

function g1Bytes(point: G1Point): Bytes {
  const { x, y } = point.toAffine();
  return bytesOf(x, y);
}

function g2Bytes(point: G2Point): Bytes {
  const { x, y } = point.toAffine();
  return bytesOf(x.c0, x.c1, y.c0, y.c1);
}

const halves = (input: Bytes, size: number): readonly [Bytes, Bytes] => [
  input.subarray(0, size),
  input.subarray(size, 2 * size),
];

/** Pairs of a point and a scalar. The scalar may exceed the group order. */
function pairsOf<P>(input: Bytes, size: number, pointOf: (bytes: Bytes) => P): readonly [P[], bigint[]] {
  const [points, scalars]: [P[], bigint[]] = [[], []];
  for (let at = 0; at < input.length; at += size + SCALAR_BYTES) {
    points.push(pointOf(input.subarray(at, at + size)));
    scalars.push(Fr.create(bytesToBigint(input.subarray(at + size, at + size + SCALAR_BYTES))));
  }
  return [points, scalars];
}

interface Multiplied<P> {
  add(other: P): P;
  multiplyUnsafe(scalar: bigint): P;
}

/**
 * Larger sums of products use Pippenger's algorithm, as their gas price assumes. With fewer points its tables cost more
 * than they save.
 */
const BATCH_MIN = 4;

function productsOf<P extends Multiplied<P>>(
  Point: { readonly ZERO: P },
  [points, scalars]: readonly [readonly P[], readonly bigint[]],
): P {
  let sum = Point.ZERO;
  for (const [i, point] of points.entries()) {
    const scalar = scalars[i] as bigint;
    if (scalar !== 0n) sum = sum.add(point.multiplyUnsafe(scalar));
  }
  return sum;
}

function within<P extends { isTorsionFree(): boolean }>(point: P, name: string): P {
  if (!point.isTorsionFree()) throw failure(`${name} point is not on correct subgroup`);
  return point;
}

/**
 * The curve of EIP-2537. An addition only requires that its points are on the curve. The library also checks that they
 * are in the subgroup and ignores the result, which takes a hundred times as long as the addition.
 */
export class QuickBls extends NobleBLS {
  override addG1(input: Bytes): Bytes {
    const [a, b] = halves(input, G1_BYTES);
    return g1Bytes(g1Of(a).add(g1Of(b)));
  }

  override addG2(input: Bytes): Bytes {
    const [a, b] = halves(input, G2_BYTES);
    return g2Bytes(g2Of(a).add(g2Of(b)));
  }
}

function sumOfG1(input: Bytes): G1Point {
  const pairs = pairsOf(input, G1_BYTES, (bytes) => within(g1Of(bytes), 'g1'));
  return pairs[0].length < BATCH_MIN ? productsOf(G1.Point, pairs) : pippenger(G1.Point, ...pairs);
}

function sumOfG2(input: Bytes): G2Point {
  const pairs = pairsOf(input, G2_BYTES, (bytes) => within(g2Of(bytes), 'g2'));
  return pairs[0].length < BATCH_MIN ? productsOf(G2.Point, pairs) : pippenger(G2.Point, ...pairs);
}

/** Sums of products in G1. */
export const BLS_G1_MSM: Sliced<G1Point> = {
  itemBytes: G1_BYTES + SCALAR_BYTES,
  itemsASlice: 16,
  begin: () => G1.Point.ZERO,
  add: (sum, input) => sum.add(sumOfG1(input)),
  end: g1Bytes,
};

/** Sums of products in G2. */
export const BLS_G2_MSM: Sliced<G2Point> = {
  itemBytes: G2_BYTES + SCALAR_BYTES,
  itemsASlice: 8,
  begin: () => G2.Point.ZERO,
  add: (sum, input) => sum.add(sumOfG2(input)),
  end: g2Bytes,
};

/**
 * The pairing check, a few pairs at a time: the product of their Miller loops is what it accumulates. Points have to be in
 * the subgroups.
 */
export const BLS_PAIRING: Sliced<typeof Fp12.ONE> = {
  itemBytes: G1_BYTES + G2_BYTES,
  itemsASlice: 1,
  begin: () => Fp12.ONE,
  add(product, input) {
    const pairs: { g1: G1Point; g2: G2Point }[] = [];
    for (let at = 0; at < input.length; at += G1_BYTES + G2_BYTES) {
      const g1 = g1Of(input.subarray(at, at + G1_BYTES));
      const g2 = g2Of(input.subarray(at + G1_BYTES, at + G1_BYTES + G2_BYTES));
      // The batch checks its points itself.
      if (!g1.is0() && !g2.is0()) pairs.push({ g1, g2 });
      else for (const point of [g1, g2]) if (!point.is0()) point.assertValidity();
    }
    return Fp12.mul(product, bls12_381.pairingBatch(pairs, false));
  },
  end: (product) =>
    bigintToFixed(Fp12.eql(Fp12.finalExponentiate(product), Fp12.ONE) ? 1n : 0n, SCALAR_BYTES),
};
