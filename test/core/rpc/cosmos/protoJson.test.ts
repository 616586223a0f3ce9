import { expect, test } from 'vitest';
import { ANY } from '../../../../core/app/tx/tables.ts';
import {
  bool,
  bytes,
  embed,
  int64,
  optional,
  repeated,
  repeatedString,
  string,
  uint32,
  uint64Big,
} from '../../../../core/codec/fields.ts';
import { type Table, table } from '../../../../core/codec/proto.ts';
import { fromProtoJson } from '../../../../core/rpc/cosmos/protoJson.ts';
import { fieldsRequest } from '../../../../core/rpc/cosmos/restRequest.ts';

const INNER = table<{ readonly count: number }>('Inner', [uint32(1, 'count')]);
const OUTER = table<Record<string, unknown>>('Outer', [
  uint64Big(1, 'bigNumber'),
  int64(2, 'height'),
  uint32(3, 'mode'),
  bool(4, 'isOpen'),
  bytes(5, 'data', 4),
  string(6, 'note', 4),
  optional(7, 'inner', INNER),
  repeated(8, 'list', INNER, 2),
  repeatedString(9, 'names', 8, 2),
  optional(10, 'any', ANY),
  embed(11, 'set', INNER),
]) as unknown as Table<unknown>;

const read = (json: unknown): unknown => {
  try {
    return fromProtoJson(OUTER, json);
  } catch (error) {
    return (error as Error).message;
  }
};
const field = (json: object): unknown => {
  const got = read(json);
  const [key] = Object.keys(json);
  return typeof got === 'string' ? got.replace('invalid value for ', '') : (got as never)[key as never];
};

test('an absent field, null too, has its default', () => {
  const defaults = {
    bigNumber: 0n,
    height: 0,
    mode: 0,
    isOpen: false,
    data: new Uint8Array(0),
    note: '',
    inner: undefined,
    list: [],
    names: [],
    any: undefined,
    set: { count: 0 },
  };
  expect(read({})).toEqual(defaults);
  expect(read(Object.fromEntries(Object.keys(defaults).map((key) => [key, null])))).toEqual(defaults);
});

test('names are in snake or camel case, others are passed over', () => {
  expect(read({ big_number: '5', is_open: true, nobody: 1 })).toMatchObject({ bigNumber: 5n, isOpen: true });
  expect(read({ bigNumber: '5' })).toMatchObject({ bigNumber: 5n });
});

test('a message is an object', () => {
  for (const json of [null, [], 'x', 5, true])
    expect(read(json)).toBe('invalid value for Outer: expected an object');
  for (const inner of [[], 'x', 5]) expect(field({ inner })).toBe('inner: expected an object');
  expect(field({ list: [{}, 5] })).toBe('list[1]: expected an object');
  expect(field({ list: {} })).toBe('list: expected at most 2 entries');
  expect(field({ inner: { count: 'x' } })).toBe('inner.count: expected a whole number');
});

test('numbers are texts or numbers that JSON keeps, within their bits', () => {
  const most = (1n << 64n) - 1n;
  expect([field({ bigNumber: most.toString() }), field({ bigNumber: 2 ** 53 - 1 })]).toEqual([
    most,
    2n ** 53n - 1n,
  ]);
  for (const bigNumber of [2 ** 53, 1.5, 1e30, 'x', '', '1.0', '0x1', true, [5], {}])
    expect(field({ bigNumber })).toBe('big_number: expected a whole number');
  for (const bigNumber of ['-1', (most + 1n).toString()])
    expect(field({ bigNumber })).toBe('big_number: expected a number of 64 bits');
  expect([field({ mode: 4_294_967_295 }), field({ mode: 4_294_967_296 })]).toEqual([
    4_294_967_295,
    'mode: expected a number of 32 bits',
  ]);
  expect([field({ height: '-9007199254740991' }), field({ height: '9007199254740992' })]).toEqual([
    -9_007_199_254_740_991,
    'height: expected a safe integer',
  ]);
  expect(field({ height: '9223372036854775808' })).toBe('height: expected a number of 64 bits');
});

test('truth values, bytes and texts', () => {
  expect([true, 'true', false, 'false'].map((isOpen) => field({ isOpen }))).toEqual([
    true,
    true,
    false,
    false,
  ]);
  for (const isOpen of [1, 'yes', '', []]) expect(field({ isOpen })).toBe('is_open: expected true or false');
  for (const data of ['+/8=', '-_8', [251, 255]]) expect(field({ data })).toEqual(Uint8Array.of(251, 255));
  for (const data of ['!', 5, {}]) expect(field({ data })).toBe('data: expected base64');
  for (const data of [[256], [-1], [0.5], ['1']])
    expect(field({ data })).toBe('data: expected numbers from 0 to 255');
  for (const note of [5, [], 'abcde'])
    expect(field({ note })).toBe('note: expected a text of at most 4 bytes');
  expect(field({ names: ['a', 5] })).toBe('names[1]: expected a text of at most 8 bytes');
});

test('a message of any type says which', () => {
  for (const any of [{}, { '@type': 5 }, 'x', []])
    expect(field({ any })).toBe('any: expected an object with @type');
  expect(field({ any: { '@type': '/no.Body' } })).toBe('any: expected a known type, /no.Body is none');
  const typeUrl = '/cosmos.bank.v1beta1.MsgSend';
  expect(field({ any: { '@type': typeUrl, value: 'AQI=' } })).toEqual({
    typeUrl,
    value: Uint8Array.of(1, 2),
  });
  expect(field({ any: { '@type': typeUrl, value: '!' } })).toBe('any: expected base64');
  expect(field({ any: { '@type': typeUrl, amount: 5 } })).toMatch(
    /^any\.amount: expected at most \d+ entries$/,
  );
});

test('a request is JSON, or the fields of its path and query', () => {
  const request = (query: ReadonlyMap<string, string[]>, body = '') => {
    try {
      return fieldsRequest(OUTER, query, body);
    } catch (error) {
      return (error as Error).message;
    }
  };
  expect(request(new Map(), '{')).toBe('request body is not JSON');
  expect(request(new Map([['height', ['7']]]), ' ')).toMatchObject({ height: 0 });
  const query = new Map([
    ['inner.count', ['3']],
    ['isOpen', ['true']],
    ['mode', ['']],
    ['names', ['a', 'b']],
  ]);
  expect(request(query)).toMatchObject({
    inner: { count: 3 },
    isOpen: true,
    mode: 0,
    names: ['a', 'b'],
    note: '',
  });
  expect(request(new Map([['inner.count', ['x']]]))).toBe(
    'invalid value for inner.count: expected a whole number',
  );
});
