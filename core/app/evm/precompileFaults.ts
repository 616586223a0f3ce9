import { EVMError } from '@ethereumjs/evm';
import type { Bytes } from '../../lib/bytes.ts';
import { bytesToBigint } from './numbers.ts';
import type { Precompile } from './precompile.ts';
import type { Precompiles } from './precompiles.ts';

/** Maps the library's text to geth's. */
type Words = Readonly<Record<string, string>>;

const PAIRING = 0x08;
const PAIRING_SIZE = 'bad elliptic curve pairing size';
const OUTSIDE_FIELD = 'invalid fp.Element encoding';
const BN254: Words = {
  'fp point not in field': OUTSIDE_FIELD,
  revert: 'point is not on curve',
};
const BLS12_381: Words = {
  'input is empty': 'invalid input length',
  'fp point not in field': OUTSIDE_FIELD,
  'point not on curve': 'invalid point: not on curve',
  revert: 'invalid point: not on curve',
};

const WORDS: ReadonlyMap<number, Words> = new Map([
  [0x06, BN254],
  [0x07, BN254],
  [PAIRING, { ...BN254, 'invalid input length': PAIRING_SIZE }],
  [
    0x0a,
    {
      'kzg commitment does not match versioned hash': 'mismatched versioned hash',
      'kzg proof invalid': "error verifying kzg proof: can't verify opening proof",
      'kzg inputs invalid': 'error verifying kzg proof: invalid input',
    },
  ],
  ...[0x0b, 0x0c, 0x0d, 0x0e, 0x0f, 0x10, 0x11].map((address) => [address, BLS12_381] as const),
]);

const BLAKE2F = 0x09;
const BLAKE2F_BYTES = 213;
const BLS_FIELD_BYTES = 64;
const BLS_PADDING_BYTES = 16;

/** For the pairings: base gas, gas per pair, and bytes per pair. geth checks the gas before anything else. */
const PAIRINGS: ReadonlyMap<number, readonly [base: bigint, pair: bigint, bytes: number]> = new Map([
  [PAIRING, [45_000n, 34_000n, 192]],
  [0x0f, [37_700n, 32_600n, 384]],
]);

function isUnpaid(address: number, length: number, gas: bigint): boolean {
  const price = PAIRINGS.get(address);
  if (price === undefined) return false;
  const [base, pair, bytes] = price;
  return gas < base + pair * BigInt(Math.floor(length / bytes));
}

/**
 * By address: bytes of the repeated input item, and how many of them are field elements. In the MSMs a scalar follows
 * them.
 */
const BLS_FIELDS: ReadonlyMap<number, readonly [pair: number, fields: number]> = new Map([
  [0x0b, [128, 128]],
  [0x0c, [160, 128]],
  [0x0d, [256, 256]],
  [0x0e, [288, 256]],
  [0x0f, [384, 384]],
  [0x10, [64, 64]],
  [0x11, [128, 128]],
]);

/** Whether each 48-byte field element is left-padded with zeros to 64 bytes. */
function isPadded(data: Bytes, [pair, fields]: readonly [number, number]): boolean {
  for (let start = 0; start < data.length; start += pair)
    for (let at = start; at < start + fields; at += BLS_FIELD_BYTES)
      if (data.subarray(at, at + BLS_PADDING_BYTES).some((byte) => byte !== 0)) return false;
  return true;
}

/** The order of BN254's field. */
const BN254_FIELD = 0x30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47n;
const WORD_BYTES = 32;

function isOutsideField(data: Bytes): boolean {
  for (let at = 0; at < data.length; at += WORD_BYTES)
    if (bytesToBigint(data.subarray(at, at + WORD_BYTES)) >= BN254_FIELD) return true;
  return false;
}

function wordsFor(address: number, text: string, data: Bytes, gas: bigint): string {
  if (isUnpaid(address, data.length, gas)) return 'out of gas';
  if (address === BLAKE2F && text === 'value out of range')
    return data.length === BLAKE2F_BYTES ? 'invalid final flag' : 'invalid input length';
  const told = WORDS.get(address)?.[text] ?? text;
  if ([PAIRING_SIZE, 'invalid input length', 'out of gas'].includes(told)) return told;
  if (address === PAIRING && isOutsideField(data)) return OUTSIDE_FIELD;
  const fields = BLS_FIELDS.get(address);
  return fields !== undefined && !isPadded(data, fields) ? 'invalid field element top bytes' : told;
}

function tellAsGeth(address: number, run: Precompile): Precompile {
  return async (input, look) => {
    const result = await run(input, look);
    const error = result.exceptionError?.error;
    if (error === undefined) return result;
    const words = wordsFor(address, error, input.data, input.gasLimit);
    return { ...result, exceptionError: new EVMError(words as EVMError['error']) };
  };
}

/** The precompiles, failing with geth's texts. A failed precompile takes all its gas. */
export const faultsAsGeth = (precompiles: Precompiles): Precompiles =>
  new Map([...precompiles].map(([hex, run]) => [hex, tellAsGeth(Number(`0x${hex}`), run)]));
