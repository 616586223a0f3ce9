import { describe, expect, test } from 'vitest';
import { COMMIT, COMMIT_SIG } from '../../../core/codec/commit.ts';
import {
  bool,
  bytes,
  embed,
  int32,
  int64,
  optional,
  repeated,
  string,
  uint32,
  uint64Big,
} from '../../../core/codec/fields.ts';
import { BLOCK_ID } from '../../../core/codec/header.ts';
import { oneOf } from '../../../core/codec/oneOf.ts';
import { decode, encode, table, tolerant } from '../../../core/codec/proto.ts';
import { DURATION, TIMESTAMP } from '../../../core/codec/time.ts';
import { entryBytes, Writer } from '../../../core/codec/writer.ts';
import { concat, equalBytes, hex, toHex } from '../../../core/lib/bytes.ts';

interface Inner {
  readonly flag: boolean;
}
interface Sample {
  readonly count: number;
  readonly round: number;
  readonly height: number;
  readonly total: bigint;
  readonly name: string;
  readonly hash: Uint8Array;
  readonly inner: Inner;
  readonly pointer: Inner | undefined;
  readonly list: readonly Inner[];
}

const INNER = table<Inner>('Inner', [bool(1, 'flag')]);
const SAMPLE = table<Sample>('Sample', [
  uint32(1, 'count'),
  int32(2, 'round'),
  int64(3, 'height'),
  uint64Big(4, 'total'),
  string(5, 'name', 4),
  bytes(6, 'hash', 2),
  embed(7, 'inner', INNER),
  optional(8, 'pointer', INNER),
  repeated(16, 'list', INNER, 2),
]);

const EMPTY_SAMPLE = '3a00';
const refusal = (text: string): string => {
  const decoded = decode(SAMPLE, hex(text));
  return decoded.ok ? 'accepted' : decoded.error.message;
};

describe('the decoder', () => {
  test('fills in defaults, and writes none', () => {
    const decoded = decode(SAMPLE, hex(EMPTY_SAMPLE));
    const nothing = { count: 0, round: 0, height: 0, total: 0n, name: '', hash: new Uint8Array(0) };
    const value = { ...nothing, inner: { flag: false }, pointer: undefined, list: [] };
    expect(decoded).toEqual({ ok: true, value });
    expect(toHex(encode(SAMPLE, value))).toBe(EMPTY_SAMPLE);
  });

  test.each([
    ['', 'Sample.inner: is missing'],
    [`0800${EMPTY_SAMPLE}`, 'Sample.count: a default is written out'],
    [`1000${EMPTY_SAMPLE}`, 'Sample.round: a default is written out'],
    [`1800${EMPTY_SAMPLE}`, 'Sample.height: a default is written out'],
    [`2000${EMPTY_SAMPLE}`, 'Sample.total: a default is written out'],
    [`2a00${EMPTY_SAMPLE}`, 'Sample.name: a default is written out'],
    [`3200${EMPTY_SAMPLE}`, 'Sample.hash: a default is written out'],
    ['3a020800', 'Inner.flag: a default is written out'],
    [`088100${EMPTY_SAMPLE}`, 'Sample.count: varint is not minimal'],
    [`8800 01${EMPTY_SAMPLE}`.replace(' ', ''), 'Sample: varint is not minimal'],
    [`08ffffffff1f${EMPTY_SAMPLE}`, 'Sample.count: number beyond 32 bits'],
    [`10ffffffff0f${EMPTY_SAMPLE}`, 'Sample.round: number beyond 32 bits'],
    [`18ffffffffffffffff7f${EMPTY_SAMPLE}`, 'Sample.height: number is not a safe integer'],
    [`20ffffffffffffffffff02${EMPTY_SAMPLE}`, 'Sample.total: varint beyond 64 bits'],
    [`20ffffffffffffffffffff01${EMPTY_SAMPLE}`, 'Sample.total: varint beyond 64 bits'],
    [`08${''}`, 'Sample.count: ends within a varint'],
    [`0d00000000${EMPTY_SAMPLE}`, 'Sample.count: wire type 5, expected 0'],
    [`2a0568656c6c6f${EMPTY_SAMPLE}`, 'Sample.name: 5 bytes, at most 4 are allowed'],
    [`2a0168${'32036162'}`, 'Sample.hash: 3 bytes, at most 2 are allowed'],
    [`2a01ff${EMPTY_SAMPLE}`, 'Sample.name: text is not valid UTF-8'],
    [`3202ff`, 'Sample.hash: ends before its 2 bytes'],
    ['3a020802', 'Inner.flag: boolean is neither 0 nor 1'],
    [`${EMPTY_SAMPLE}0801`, 'Sample: field 1 is out of order or given twice'],
    [`08010801${EMPTY_SAMPLE}`, 'Sample: field 1 is out of order or given twice'],
    [`${EMPTY_SAMPLE}4800`, 'Sample: unknown field 9'],
    [`00${EMPTY_SAMPLE}`, 'Sample: field number 0'],
    [`${EMPTY_SAMPLE}820100820100820100`, 'Sample.list: more than 2 entries'],
    ['3a024800', 'Inner: unknown field 9'],
  ])('refuses %s', (text, message) => {
    expect(refusal(text)).toBe(message);
  });

  test('of a tolerant table steps over unknown fields of every wire type, on its level only', () => {
    const lenient = tolerant(SAMPLE);
    const unknown = '48ffff03' + '510000000000000000' + '5a03616263' + '6500000000';
    const bytesOf = (text: string) => decode(lenient, hex(text));
    expect(bytesOf(`${EMPTY_SAMPLE}${unknown}`).ok).toBe(true);
    expect(bytesOf(`${unknown}${EMPTY_SAMPLE}`).ok).toBe(true);
    expect(bytesOf(`${EMPTY_SAMPLE}4b`).ok).toBe(false);
    expect(bytesOf(`${EMPTY_SAMPLE}5a7f`).ok).toBe(false);
    expect(bytesOf('3a024800').ok).toBe(false);
  });

  test('of a tolerant table knows no field number 0', () => {
    for (const field of ['0000', '0100000000000000', '0200', '0500000000'])
      expect(decode(tolerant(INNER), hex(field)), field).toMatchObject({ ok: false });
  });

  test('steps over no more of an unknown field than its message has', () => {
    const outer = table<{ inner: Inner; tail: Uint8Array }>('Outer', [
      embed(1, 'inner', tolerant(INNER)),
      bytes(2, 'tail', 9),
    ]);
    expect(decode(outer, hex('0a055a030102031203616263')).ok).toBe(true);
    for (const inner of ['0a025a03', '0a0151', '0a0165'])
      expect(decode(outer, hex(`${inner}120801020304050607 08`.replace(' ', ''))), inner).toMatchObject({
        ok: false,
        error: { message: 'Inner: ends within an unknown field' },
      });
  });

  test('of a union takes a case for a message only when it was written as one', () => {
    const union = oneOf<{ kind: string }>('Union', [
      [1, 'case', table('Case', [bool(1, 'flag')], { kind: 'case' })],
    ]);
    expect(decode(union, hex('0a020801'))).toEqual({ ok: true, value: { kind: 'case', flag: true } });
    for (const tag of ['08', '09', '0d'])
      expect(decode(union, hex(`${tag}020801`)), tag).toMatchObject({ ok: false, error: { field: 'Union' } });
  });

  test.each([
    ['0801 10ffffffffffffffffff01', 'seconds and nanoseconds of different sign'],
    ['08ffffffffffffffffff01 1001', 'seconds and nanoseconds of different sign'],
    ['1080 94ebdc03', 'nanoseconds beyond a second'],
    ['1080ec94a3fcffffffff01', 'nanoseconds beyond a second'],
    ['0880ea8dcea61f', 'beyond int64 nanoseconds'],
  ])('refuses the duration %s', (text, message) => {
    expect(decode(DURATION, hex(text.replace(' ', '')))).toMatchObject({
      ok: false,
      error: { message: `Duration: ${message}` },
    });
  });

  test('stops at the bound of a list before it holds more', () => {
    const sig = encode(COMMIT_SIG, {
      flag: 'absent',
      validatorAddress: new Uint8Array(0),
      timestamp: { seconds: 0, nanos: 0 },
      signature: new Uint8Array(0),
    });
    const id = encode(BLOCK_ID, { hash: new Uint8Array(0), parts: { total: 0, hash: new Uint8Array(0) } });
    const entry = concat(Uint8Array.of(0x22, sig.length), sig);
    const list = new Uint8Array(entry.length * 10001);
    for (let i = 0; i < 10001; i++) list.set(entry, i * entry.length);
    const head = concat(Uint8Array.of(0x1a, id.length), id);
    expect(decode(COMMIT, concat(head, list.subarray(entry.length))).ok).toBe(true);
    const refused = { field: 'Commit.signatures', limit: 10000 };
    expect(decode(COMMIT, concat(head, list))).toMatchObject({ ok: false, error: refused });
  });

  test('refuses times outside the calendar of RFC 3339', () => {
    for (const time of [
      { seconds: 253402300800, nanos: 0 },
      { seconds: -62135596801, nanos: 0 },
      { seconds: 0, nanos: -1 },
    ]) {
      expect(decode(TIMESTAMP, encode(TIMESTAMP, time)).ok).toBe(false);
    }
    expect(decode(TIMESTAMP, encode(TIMESTAMP, { seconds: 0, nanos: 1_000_000_000 })).ok).toBe(false);
  });
});

describe('the writer', () => {
  test('writes long pieces with their length before them', () => {
    for (const size of [0, 1, 127, 128, 16383, 16384, 2097151, 2097152]) {
      const writer = new Writer();
      const mark = writer.open();
      writer.raw(new Uint8Array(size).fill(7));
      writer.close(mark);
      const prefix = new Writer();
      prefix.uint32(size);
      const expected = concat(prefix.finish(), new Uint8Array(size).fill(7));
      // Not toEqual: it takes seconds for megabytes.
      expect(equalBytes(writer.finish(), expected), String(size)).toBe(true);
      expect(entryBytes(size), String(size)).toBe(1 + expected.length);
    }
  });

  test('asserts on numbers that no field can hold', () => {
    expect(() => new Writer().int64(2 ** 53)).toThrow('safe');
    expect(() => new Writer().big(2n ** 64n)).toThrow('64 bits');
    expect(() => new Writer().int64(0.5)).toThrow();
  });
});

test('a table with fields out of order is a bug', () => {
  expect(() => table<{ a: number; b: number }>('Bad', [uint32(2, 'a'), uint32(1, 'b')])).toThrow('ascending');
});
