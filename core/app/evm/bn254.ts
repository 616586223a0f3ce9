import { EVMError, NobleBN254 } from '@ethereumjs/evm';
import { bn254 } from '@noble/curves/bn254.js';
import { type Bytes, concat } from '../../lib/bytes.ts';
import { bigintToFixed, bytesToBigint } from './numbers.ts';

const { G1, fields } = bn254;
const { Fp, Fr } = fields;
type Point = typeof G1.Point.BASE;

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
