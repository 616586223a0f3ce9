import { expect, test } from 'vitest';
import { verifyKzgProof } from '../../../../core/app/evm/kzg.ts';

/** The point-evaluation example that execution clients share: versioned hash, z, y, commitment, proof. */
const INPUT =
  '01e798154708fe7789429634053cbf9f99b619f9f084048927333fce637f549b564c0a11a0f704f4fc3e8acfe0f8245f0ad1347b378fbf96e206da11a5d3630624d25032e67a7e6a4910df5834b8fe70e6bcfeeac0352434196bdf4b2485d5a18f59a8d2a1a625a17f3fea0fe5eb8c896db3764f3185481bc22f91b4aaffcca25f26936857bc3a7c2539ea8ec3a952b7873033e038326e87ed3e1276fd140253fa08e9fc25fb2d9a98527fc22a2c9612fbeafdad446cbc7bcdbdcd780af2c16a';
const field = (from: number, to: number): string => `0x${INPUT.slice(2 * from, 2 * to)}`;
const z = field(32, 64);
const y = field(64, 96);
const commitment = field(96, 144);
const proof = field(144, 192);
/** The point at infinity, compressed. */
const INFINITY = `0xc0${'00'.repeat(47)}`;

test('a right opening verifies and a wrong value does not', () => {
  expect(verifyKzgProof(commitment, z, y, proof)).toBe(true);
  expect(verifyKzgProof(commitment, z, `0x${'00'.repeat(31)}01`, proof)).toBe(false);
});

test('the zero polynomial opens to zero everywhere', () => {
  const zero = `0x${'00'.repeat(32)}`;
  expect(verifyKzgProof(INFINITY, z, zero, INFINITY)).toBe(true);
  expect(verifyKzgProof(INFINITY, z, `0x${'00'.repeat(31)}01`, INFINITY)).toBe(false);
});

test('points off the curve and scalars beyond the field are bad arguments', () => {
  expect(() => verifyKzgProof(`0x${'ff'.repeat(48)}`, z, y, proof)).toThrow('C_KZG_BADARGS');
  expect(() => verifyKzgProof(commitment, `0x${'ff'.repeat(32)}`, y, proof)).toThrow('C_KZG_BADARGS');
});

test('a scalar is below the order of the field', () => {
  const order = 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001n;
  const hex = (value: bigint): string => `0x${value.toString(16)}`;
  expect(() => verifyKzgProof(commitment, hex(order), y, proof)).toThrow('C_KZG_BADARGS');
  expect(() => verifyKzgProof(commitment, z, hex(order), proof)).toThrow('C_KZG_BADARGS');
  expect(verifyKzgProof(commitment, hex(order - 1n), hex(order - 1n), proof)).toBe(false);
});
