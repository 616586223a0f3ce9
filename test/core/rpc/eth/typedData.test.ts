import { expect, test } from 'vitest';
import { nobleSuite } from '../../../../core/crypto/noble.ts';
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
