/** Reads canonical sign bytes without the codec: the guard depends on no other code's reading. */
import { type Bytes, joined } from '../lib/bytes.ts';
import type { SignAsk } from './contract.ts';

interface Field {
  readonly number: number;
  /** Bounds of the whole field, tag included. */
  readonly start: number;
  readonly end: number;
  /** Value of a varint or sfixed64 field, read as unsigned. Beyond a safe integer it is the nearest number. */
  readonly value: number;
}

/** Most fields in one message. CanonicalVote and CanonicalProposal have at most seven. */
const FIELDS_MAX = 16;
const VARINT_BYTES_MAX = 10;
/** Number of low varint bytes whose bits a JS number holds exactly. */
const LOW_BYTES = 7;
/** No protobuf field has a larger tag. */
const TAG_MAX = 0xffff_ffff;

/** Value and end offset of the varint at `at`; undefined if it is cut off or too long. */
function varintAt(bytes: Bytes, at: number): readonly [number, number] | undefined {
  let [low, high] = [0, 0];
  for (let i = 0; i < VARINT_BYTES_MAX; i++) {
    const byte = bytes[at + i];
    if (byte === undefined) return undefined;
    if (i < LOW_BYTES) low += (byte & 0x7f) * 2 ** (7 * i);
    else high += (byte & 0x7f) * 2 ** (7 * (i - LOW_BYTES));
    if (byte < 0x80) return [low + high * 2 ** (7 * LOW_BYTES), at + i + 1];
  }
  return undefined;
}

function fixedAt(bytes: Bytes, at: number): number {
  let [low, high] = [0, 0];
  for (let i = 3; i >= 0; i--) {
    low = low * 256 + (bytes[at + i] as number);
    high = high * 256 + (bytes[at + 4 + i] as number);
  }
  return low + high * 2 ** 32;
}

function fieldAt(bytes: Bytes, start: number): Field | undefined {
  const tag = varintAt(bytes, start);
  if (tag === undefined || tag[0] > TAG_MAX) return undefined;
  const number = tag[0] >>> 3;
  const wireType = tag[0] & 7;
  if (wireType === 1) {
    const end = tag[1] + 8;
    return end > bytes.length ? undefined : { number, start, end, value: fixedAt(bytes, tag[1]) };
  }
  const varint = varintAt(bytes, tag[1]);
  if (varint === undefined) return undefined;
  if (wireType === 0) return { number, start, end: varint[1], value: varint[0] };
  const end = varint[1] + varint[0];
  return wireType === 2 && end <= bytes.length ? { number, start, end, value: 0 } : undefined;
}

/** The fields of a length-delimited message; undefined if the bytes are malformed. */
function fieldsOf(bytes: Bytes): readonly Field[] | undefined {
  const length = varintAt(bytes, 0);
  if (length === undefined || length[0] !== bytes.length - length[1]) return undefined;
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

/** Kind, height and round of the message; undefined if it is no canonical vote or proposal. */
export function signBytesFacts(bytes: Bytes): SignBytesFacts | undefined {
  const fields = fieldsOf(bytes);
  if (fields === undefined) return undefined;
  const numberOf = (number: number): number => fields.find((field) => field.number === number)?.value ?? 0;
  const kind = KINDS[String(numberOf(1))];
  return kind === undefined ? undefined : { kind, height: numberOf(2), round: numberOf(3) };
}

/** The message without its length prefix and its timestamp: field 5 of a vote, 6 of a proposal. */
export function withoutTime(kind: SignAsk['kind'], bytes: Bytes): Bytes | undefined {
  const time = kind === 'proposal' ? 6 : 5;
  const fields = fieldsOf(bytes);
  if (fields === undefined) return undefined;
  return joined(
    fields.filter((field) => field.number !== time).map((field) => bytes.subarray(field.start, field.end)),
  );
}
