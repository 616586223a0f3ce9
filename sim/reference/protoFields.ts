import type { Bytes } from '../../core/lib/bytes.ts';

/** A field of a protocol buffer as it lies in the bytes, read apart from the core's codec. */
export interface ProtoField {
  readonly number: number;
  /** Of a varint, as a signed number of 64 bits; 0 for bytes. */
  readonly value: bigint;
  /** Of a field with a length; empty for a varint. */
  readonly bytes: Bytes;
}

const NONE = new Uint8Array(0);
const VARINT_BYTES_MAX = 10;
const FIELDS_MAX = 4096;

/** Value and end of the varint at `at`. */
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

/** Varints and fields with a length, in order; undefined for anything else. */
export function protoFields(bytes: Bytes): readonly ProtoField[] | undefined {
  const fields: ProtoField[] = [];
  for (let at = 0; at < bytes.length; ) {
    const tag = varintAt(bytes, at);
    const first = tag && varintAt(bytes, tag[1]);
    if (tag === undefined || first === undefined || fields.length === FIELDS_MAX) return undefined;
    const [number, wire] = [Number(tag[0] >> 3n), Number(tag[0] & 7n)];
    const end = first[1] + (wire === 2 ? Number(first[0]) : 0);
    if ((wire !== 0 && wire !== 2) || end > bytes.length) return undefined;
    fields.push({
      number,
      value: wire === 0 ? BigInt.asIntN(64, first[0]) : 0n,
      bytes: wire === 2 ? bytes.subarray(first[1], end) : NONE,
    });
    at = end;
  }
  return fields;
}

/** How many varints lie one after the other; undefined when something is cut off. */
export function countVarints(bytes: Bytes): number | undefined {
  let count = 0;
  for (let at = 0; at < bytes.length; count++) {
    const one = varintAt(bytes, at);
    if (one === undefined) return undefined;
    at = one[1];
  }
  return count;
}
