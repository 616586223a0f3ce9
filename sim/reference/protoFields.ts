import type { Bytes } from '../../core/lib/bytes.ts';

/** A field of a protobuf message, read apart from the core's codec. */
export interface ProtoField {
  readonly number: number;
  /** The value of a varint as a signed 64-bit number; 0 for other fields. */
  readonly value: bigint;
  /** The content of a length-delimited field; empty for a varint. */
  readonly bytes: Bytes;
}

const NONE = new Uint8Array(0);
const VARINT_BYTES_MAX = 10;
const FIELDS_MAX = 4096;
/** A varint of so many bytes fits exactly into a number. */
const EXACT_BYTES = 7;

/** The position after the varint at `at`; undefined if the varint does not end. */
function varintEnd(bytes: Bytes, at: number): number | undefined {
  for (let i = at; i < at + VARINT_BYTES_MAX; i++) {
    const byte = bytes[i];
    if (byte === undefined) return undefined;
    if (byte < 0x80) return i + 1;
  }
  return undefined;
}

/** The value of a varint, rounded if it is very large. */
function roundVarint(bytes: Bytes, at: number, end: number): number {
  let value = 0;
  for (let i = end - 1; i >= at; i--) value = value * 128 + ((bytes[i] as number) & 0x7f);
  return value;
}

function varint(bytes: Bytes, at: number, end: number): bigint {
  if (end - at <= EXACT_BYTES) return BigInt(roundVarint(bytes, at, end));
  let value = 0n;
  for (let i = end - 1; i >= at; i--) value = (value << 7n) | BigInt((bytes[i] as number) & 0x7f);
  return value;
}

/** A field of any wire type: number, start of its value, and end. */
export interface ProtoPiece {
  readonly number: number;
  readonly wire: number;
  readonly from: number;
  readonly end: number;
}

/** The field at a position; undefined if there is none or it is cut off. */
export function pieceAt(bytes: Bytes, at: number): ProtoPiece | undefined {
  const start = varintEnd(bytes, at);
  if (start === undefined) return undefined;
  const number = Math.floor(roundVarint(bytes, at, start) / 8);
  const wire = (bytes[at] as number) & 7;
  const next = wire === 0 || wire === 2 ? varintEnd(bytes, start) : start;
  if (next === undefined) return undefined;
  const from = wire === 2 ? next : start;
  const ends = [next, start + 8, next + roundVarint(bytes, start, next), undefined, undefined, start + 4];
  const end = ends[wire];
  return end === undefined || end > bytes.length ? undefined : { number, wire, from, end };
}

/** All fields in order; undefined if any is neither a varint nor length-delimited. */
export function protoFields(bytes: Bytes): readonly ProtoField[] | undefined {
  const fields: ProtoField[] = [];
  for (let at = 0; at < bytes.length; ) {
    const piece = pieceAt(bytes, at);
    if (piece === undefined || fields.length === FIELDS_MAX) return undefined;
    const { number, wire, from, end } = piece;
    if (wire !== 0 && wire !== 2) return undefined;
    fields.push(
      wire === 0
        ? { number, value: BigInt.asIntN(64, varint(bytes, from, end)), bytes: NONE }
        : { number, value: 0n, bytes: bytes.subarray(from, end) },
    );
    at = end;
  }
  return fields;
}

/** The number of consecutive varints; undefined if the last is cut off. */
export function countVarints(bytes: Bytes): number | undefined {
  let count = 0;
  for (let at = 0; at < bytes.length; count++) {
    const end = varintEnd(bytes, at);
    if (end === undefined) return undefined;
    at = end;
  }
  return count;
}
