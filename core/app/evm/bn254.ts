import { EVMError, NobleBN254 } from '@ethereumjs/evm';
import { bn254 } from '@noble/curves/bn254.js';
import { type Bytes, concat } from '../../lib/bytes.ts';
import { bigintToFixed, bytesToBigint } from './numbers.ts';
import type { Sliced } from './slices.ts';

const { G1, G2, fields } = bn254;
const { Fp, Fp2, Fp12, Fr } = fields;
type Point = typeof G1.Point.BASE;
type G2Point = typeof G2.Point.BASE;

const WORD_BYTES = 32;
/** The constant b of y² = x³ + b (EIP-196). */
const B = 3n;

function wordAt(input: Bytes, place: number): bigint {
  return bytesToBigint(input.subarray(place * WORD_BYTES, (place + 1) * WORD_BYTES));
}

/** All zeros encode the point at infinity. Every other point on the curve is in the group. */
function pointAt(input: Bytes, place: number): Point {
  const [x, y] = [wordAt(input, place), wordAt(input, place + 1)];
  if (x >= Fp.ORDER || y >= Fp.ORDER) throw new EVMError(EVMError.errorMessages.BN254_FP_NOT_IN_FIELD);
  if (x === 0n && y === 0n) return G1.Point.ZERO;
  if (Fp.sqr(y) !== Fp.add(Fp.mul(Fp.sqr(x), x), B)) throw new EVMError(EVMError.errorMessages.REVERT);
  return G1.Point.fromAffine({ x, y });
}

/** As `pointAt`, in the twisted curve. The caller has to check that the point is on the curve and in the group. */
function g2At(input: Bytes, place: number): G2Point {
  const values = [0, 1, 2, 3].map((i) => wordAt(input, place + i));
  if (values.some((value) => value >= Fp.ORDER))
    throw new EVMError(EVMError.errorMessages.BN254_FP_NOT_IN_FIELD);
  if (values.every((value) => value === 0n)) return G2.Point.ZERO;
  const [x1, x0, y1, y0] = values as [bigint, bigint, bigint, bigint];
  return G2.Point.fromAffine({ x: Fp2.create({ c0: x0, c1: x1 }), y: Fp2.create({ c0: y0, c1: y1 }) });
}

function bytesOf(point: Point): Bytes {
  const { x, y } = point.toAffine();
  return concat(bigintToFixed(x, WORD_BYTES), bigintToFixed(y, WORD_BYTES));
}

/**
 * The curve of EIP-196 and EIP-197. No input is secret, so it avoids the library's constant-time multiplication, which
 * takes twice as long.
 */
export class QuickBn254 extends NobleBN254 {
  override add(input: Bytes): Bytes {
    return bytesOf(pointAt(input, 0).add(pointAt(input, 2)));
  }

  override mul(input: Bytes): Bytes {
    const point = pointAt(input, 0);
    const scalar = Fr.create(wordAt(input, 2));
    return bytesOf(scalar === 0n ? G1.Point.ZERO : point.multiplyUnsafe(scalar));
  }
}

/** The pairing check of EIP-197, a few pairs at a time: the product of their Miller loops is what it accumulates. */
export const BN254_PAIRING: Sliced<typeof Fp12.ONE> = {
  itemBytes: 6 * WORD_BYTES,
  itemsASlice: 1,
  begin: () => Fp12.ONE,
  add(product, input) {
    const pairs: { g1: Point; g2: G2Point }[] = [];
    for (let place = 0; place * WORD_BYTES < input.length; place += 6) {
      const [g1, g2] = [pointAt(input, place), g2At(input, place + 2)];
      // The batch checks its points itself.
      if (!g1.is0() && !g2.is0()) pairs.push({ g1, g2 });
      else if (!g2.is0()) g2.assertValidity();
    }
    return Fp12.mul(product, bn254.pairingBatch(pairs, false));
  },
  end: (product) => bigintToFixed(Fp12.eql(Fp12.finalExponentiate(product), Fp12.ONE) ? 1n : 0n, WORD_BYTES),
};
