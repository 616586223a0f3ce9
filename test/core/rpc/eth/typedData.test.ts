import fc from 'fast-check';
import { hashTypedData } from 'viem';
import { expect, test } from 'vitest';
import { nobleSuite } from '../../../../core/crypto/noble.ts';
import { to0xHex } from '../../../../core/lib/bytes.ts';
import { readTypedData, typedDataHash } from '../../../../core/rpc/eth/typedData.ts';
import { type Json, parseJson } from '../../../../core/rpc/jsonText.ts';

const field = (name: string, type: string) => ({ name, type });

/** The hash, or what is wrong with it. */
function hashed(types: object, message: object): string {
  const text = JSON.stringify({
    types: { EIP712Domain: [], ...types },
    primaryType: 'A',
    domain: {},
    message,
  });
  const parsed = parseJson(text);
  if (!parsed.ok) throw new Error('not JSON');
  try {
    return `of ${typedDataHash(readTypedData(parsed.value as Json), nobleSuite).length} bytes`;
  } catch (error) {
    return (error as Error).message;
  }
}

test('typed data has at most 256 types, and a type at most 256 fields', () => {
  const fields = (count: number) => Array.from({ length: count }, (_, i) => field(`f${i}`, 'bool'));
  const values = (count: number) => Object.fromEntries(fields(count).map(({ name }) => [name, true]));
  expect(hashed({ A: fields(256) }, values(256))).toBe('of 32 bytes');
  expect(hashed({ A: fields(257) }, values(257))).toContain('a type is a list of fields');
  const types = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`T${i}`, []]));
  expect(hashed({ A: [], ...types(254) }, {})).toBe('of 32 bytes');
  expect(hashed({ A: [], ...types(255) }, {})).toContain('types is an object');
});

test('structs and arrays are nested at most 32 deep', () => {
  const structs = (depth: number): object => (depth === 0 ? {} : { a: structs(depth - 1) });
  expect(hashed({ A: [field('a', 'A')] }, structs(32))).toBe('of 32 bytes');
  expect(hashed({ A: [field('a', 'A')] }, structs(33))).toContain('typed data too deep');
  const arrays = (depth: number): unknown => (depth === 0 ? true : [arrays(depth - 1)]);
  const inArrays = (depth: number) =>
    hashed({ A: [field('a', `bool${'[]'.repeat(depth)}`)] }, { a: arrays(depth) });
  expect(inArrays(33)).toBe('of 32 bytes');
  expect(inArrays(34)).toContain('typed data too deep');
});

test('typed data has at most 65536 values', () => {
  const list = (length: number) => ({ a: Array.from({ length }, () => true), b: [] });
  const types = { A: [field('a', 'bool[]'), field('b', 'bool[]')] };
  expect(hashed(types, list(65_534))).toBe('of 32 bytes');
  expect(hashed(types, list(65_535))).toContain('more than 65536 values');
  expect(hashed(types, list(400_000))).toContain('more than 65536 values');
});

test('the name and the type of a field have at most 256 characters', () => {
  const long = 'f'.repeat(256);
  expect(hashed({ A: [field(long, 'bool')] }, { [long]: true })).toBe('of 32 bytes');
  expect(hashed({ A: [field(`${long}f`, 'bool')] }, {})).toContain('longer than 256');
  expect(hashed({ A: [field('a', `${'[]'.repeat(400_000)}x`)] }, {})).toContain('longer than 256');
});

const bytesOf = (min: number, max: number) =>
  fc.uint8Array({ minLength: min, maxLength: max }).map((bytes) => to0xHex(bytes));

/** Types of EIP-712, each with values as JSON has them. */
const LEAVES: readonly (readonly [type: string, values: fc.Arbitrary<unknown>])[] = [
  ['bool', fc.boolean()],
  ['string', fc.string({ unit: 'grapheme' })],
  ['bytes', bytesOf(0, 70)],
  ['bytes1', bytesOf(1, 1)],
  ['bytes32', bytesOf(32, 32)],
  ['address', bytesOf(20, 20)],
  ['uint8', fc.integer({ min: 0, max: 255 })],
  ['int8', fc.integer({ min: -128, max: 127 })],
  ['uint256', fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }).map(String)],
  ['int256', fc.bigInt({ min: -(2n ** 255n), max: 2n ** 255n - 1n }).map(String)],
];

/** A value of a leaf's type, of a list of it, or of a list of two of it. */
const leaves = fc.constantFrom(...LEAVES).chain(([type, values]) =>
  fc.oneof(
    fc.record({ type: fc.constant(type), value: values }),
    fc.record({ type: fc.constant(`${type}[]`), value: fc.array(values, { maxLength: 3 }) }),
    fc.record({
      type: fc.constant(`${type}[2][]`),
      value: fc.array(fc.array(values, { minLength: 2, maxLength: 2 }), { maxLength: 2 }),
    }),
  ),
);

test('data of every type has the hash that viem gives it', () => {
  const structs = fc.array(leaves, { maxLength: 5 });
  fc.assert(
    fc.property(structs, structs, fc.nat(2), (outer, inner, count) => {
      const fieldsOf = (all: typeof outer) => all.map(({ type }, i) => field(`f${i}`, type));
      const valuesOf = (all: typeof outer) => Object.fromEntries(all.map(({ value }, i) => [`f${i}`, value]));
      const data = {
        types: {
          EIP712Domain: [field('name', 'string'), field('chainId', 'uint256')],
          A: [...fieldsOf(outer), field('b', 'B'), field('bs', 'B[]')],
          B: fieldsOf(inner),
        },
        primaryType: 'A',
        domain: { name: 'Orrery', chainId: 9000 },
        message: {
          ...valuesOf(outer),
          b: valuesOf(inner),
          bs: Array.from({ length: count }, () => valuesOf(inner)),
        },
      } as const;
      const parsed = parseJson(JSON.stringify(data));
      if (!parsed.ok) throw new Error('not JSON');
      const hash = to0xHex(typedDataHash(readTypedData(parsed.value as Json), nobleSuite));
      expect(hash).toBe(hashTypedData(data as never));
    }),
  );
});
