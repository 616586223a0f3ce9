import { bls12_381 } from '@noble/curves/bls12-381.js';
import { hex } from '../../lib/bytes.ts';

/** [τ]G2 of the Ethereum ceremony: the only setup value that verification needs (consensus-specs, g2_monomial[1]). */
const TAU_G2 =
  'b5bfd7dd8cdeb128843bc287230af38926187075cbfbefa81009a2ce615ac53d2914e5870cb452d2afaaab24f3499f72185cbfee53492714734429b7b38608e23926c911cceceac9a36851477ba4c60b087041de621000edc98edada20c1def2';

const { G1, G2, fields } = bls12_381;

/** For an error with this text the EVM library fails the call; any other error would escape from the EVM. */
const badArguments = (): Error => new Error('C_KZG_BADARGS');

type G1Point = typeof G1.Point.BASE;
type G2Point = typeof G2.Point.BASE;

function scalarOf(text: string): bigint {
  const value = BigInt(text);
  if (value >= fields.Fr.ORDER) throw badArguments();
  return value;
}

function pointOf(text: string): G1Point {
  try {
    const point = G1.Point.fromBytes(hex(text));
    if (!point.is0()) point.assertValidity();
    return point;
  } catch {
    throw badArguments();
  }
}

/** The curve library refuses to multiply by zero, so that case is handled here. */
const g1Times = (scalar: bigint): G1Point =>
  scalar === 0n ? G1.Point.ZERO : G1.Point.BASE.multiplyUnsafe(scalar);
const g2Times = (scalar: bigint): G2Point =>
  scalar === 0n ? G2.Point.ZERO : G2.Point.BASE.multiplyUnsafe(scalar);

/**
 * Point evaluation for precompile 0x0a (EIP-4844 `verify_kzg_proof`): e(C - [y]G1, G2) = e(proof, [tau - z]G2). Without
 * this function the library throws out of the EVM on any call to 0x0a. Arguments are hex, as the library passes them.
 */
export function verifyKzgProof(commitment: string, z: string, y: string, proof: string): boolean {
  const c = pointOf(commitment);
  const pi = pointOf(proof);
  const shifted = G2.Point.fromBytes(hex(TAU_G2)).subtract(g2Times(scalarOf(z)));
  const pairs = [
    { g1: c.subtract(g1Times(scalarOf(y))), g2: G2.Point.BASE },
    { g1: pi.negate(), g2: shifted },
  ].filter((pair) => !pair.g1.is0() && !pair.g2.is0());
  // The pairing of the point at infinity is one.
  if (pairs.length === 0) return true;
  return fields.Fp12.eql(bls12_381.pairingBatch(pairs), fields.Fp12.ONE);
}
