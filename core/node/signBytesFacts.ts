/** Reads canonical sign bytes (reference §2) without the codec: the guard trusts no one else's idea of them. */
import { type Bytes, concat } from '../lib/bytes.ts';
import type { SignAsk } from './contract.ts';

interface Field {
  readonly number: number;
  /** Of the whole field with its tag. */
  readonly start: number;
  readonly end: number;
  /** Value of a varint or sfixed64 field. */
  readonly value: bigint;
}

/** Fields of one canonical message: CanonicalVote and CanonicalProposal have seven at most. */
const FIELDS_MAX = 16;
const VARINT_BYTES_MAX = 10;

/** Value and end of the varint at `at`, or undefined. */
function varintAt(bytes: Bytes, at: number): readonly [bigint, number] | undefined {
  let value = 0n;
  for (let i = 0; i < VARINT_BYTES_MAX; i++) {
    const byte = bytes[at + i];
    if (byte === undefined) return undefined;
    value |= BigInt(byte & 0x7f) << BigInt(7 * i);
    if (byte < 0x80) return [value, at + i + 1];
  }
  return undefined;
}

function fieldAt(bytes: Bytes, start: number): Field | undefined {
  const tag = varintAt(bytes, start);
  if (tag === undefined) return undefined;
  const number = Number(tag[0] >> 3n);
  const wireType = Number(tag[0] & 7n);
  if (wireType === 1) {
    const end = tag[1] + 8;
    if (end > bytes.length) return undefined;
    let value = 0n;
    for (let i = 7; i >= 0; i--) value = (value << 8n) | BigInt(bytes[tag[1] + i] as number);
    return { number, start, end, value };
  }
  const varint = varintAt(bytes, tag[1]);
  if (varint === undefined) return undefined;
  if (wireType === 0) return { number, start, end: varint[1], value: varint[0] };
  const end = varint[1] + Number(varint[0]);
  return wireType === 2 && end <= bytes.length ? { number, start, end, value: 0n } : undefined;
}

/** Fields of the delimited message, or undefined when it is not one. */
function fieldsOf(bytes: Bytes): readonly Field[] | undefined {
  const length = varintAt(bytes, 0);
  if (length === undefined || Number(length[0]) !== bytes.length - length[1]) return undefined;
  const fields: Field[] = [];
  for (let at = length[1]; at < bytes.length; ) {
    const field = fieldAt(bytes, at);
    if (field === undefined || fields.length === FIELDS_MAX) return undefined;
    fields.push(field);
    at = field.end;
  }
  return fields;
}

const KINDS: Readonly<Record<string, SignAsk['kind']>> = {
  '1': 'prevote',
  '2': 'precommit',
  '32': 'proposal',
};

export interface SignBytesFacts {
  readonly kind: SignAsk['kind'];
  readonly height: number;
  readonly round: number;
}

/** What the bytes say they are, or undefined when they are no canonical vote or proposal. */
export function signBytesFacts(bytes: Bytes): SignBytesFacts | undefined {
  const fields = fieldsOf(bytes);
  if (fields === undefined) return undefined;
  const numberOf = (number: number): bigint => fields.find((field) => field.number === number)?.value ?? 0n;
  const kind = KINDS[String(numberOf(1))];
  return kind === undefined ? undefined : { kind, height: Number(numberOf(2)), round: Number(numberOf(3)) };
}

/** The message without its length prefix and its timestamp: field 5 of a vote, 6 of a proposal. */
export function withoutTime(kind: SignAsk['kind'], bytes: Bytes): Bytes | undefined {
  const time = kind === 'proposal' ? 6 : 5;
  const fields = fieldsOf(bytes);
  if (fields === undefined) return undefined;
  return concat(
    ...fields.filter((field) => field.number !== time).map((field) => bytes.subarray(field.start, field.end)),
  );
}
