import { expect, test } from 'vitest';
import { withoutNonCritical } from '../../../../core/app/cosmos/unknownFields.ts';
import { decodeTx } from '../../../../core/app/tx/decodeTx.ts';
import { TX_RAW } from '../../../../core/app/tx/tables.ts';
import { encode } from '../../../../core/codec/proto.ts';
import { nobleSuite } from '../../../../core/crypto/noble.ts';
import { concat, EMPTY, joined } from '../../../../core/lib/bytes.ts';

const varint = (value: number): number[] =>
  value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))];
/** A field with what follows its tag. */
const field = (number: number, wire: number, ...rest: number[]): Uint8Array =>
  Uint8Array.from([...varint(number * 8 + wire), ...rest]);

const MEMO = field(2, 2, 2, 104, 105);
const TIMEOUT = field(3, 0, ...varint(70_000));
const OPTIONS = field(2047, 2, 0);

test.each([
  ['a number', field(1024, 0, ...varint(300))],
  ['eight bytes', field(1025, 1, 1, 2, 3, 4, 5, 6, 7, 8)],
  ['bytes', field(3072, 2, 3, 1, 2, 3)],
  ['four bytes', field(1026, 5, 1, 2, 3, 4)],
])('%s of a field that need not be known goes, and all else stays', (_, unknown) => {
  const known = concat(MEMO, TIMEOUT, OPTIONS);
  for (const body of [
    concat(unknown, MEMO, TIMEOUT, OPTIONS),
    concat(MEMO, unknown, TIMEOUT, OPTIONS),
    concat(MEMO, TIMEOUT, OPTIONS, unknown),
  ])
    expect(withoutNonCritical(body)).toEqual(known);
});

test('fields below the bit stay, known or not', () => {
  const body = concat(MEMO, field(1023, 2, 1, 9), field(2048, 0, 1));
  expect(withoutNonCritical(body)).toEqual(body);
});

test.each([
  ['a length beyond the end', field(2, 2, 200, 1)],
  ['a number without an end', field(3, 0, 128, 128)],
  ['a group', field(4, 3)],
  ['half a tag', Uint8Array.of(128)],
])('%s makes it no message', (_, tail) => {
  expect(withoutNonCritical(concat(MEMO, tail))).toBeUndefined();
});

test('a body may be as many fields as fit into a transaction', () => {
  const body = joined(Array.from({ length: 400_000 }, () => field(2, 2, 0)));
  expect(withoutNonCritical(body)?.length).toBe(body.length);
  const decoded = decodeTx(
    encode(TX_RAW, { bodyBytes: body, authInfoBytes: EMPTY, signatures: [] }),
    nobleSuite,
    'a',
  );
  expect(decoded).toMatchObject({ ok: false, error: { code: 'tx-parse' } });
});
