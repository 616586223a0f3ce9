import { type Bytes, joined } from '../../lib/bytes.ts';

/** A decoder may ignore an unknown field whose number has this bit set (ADR-020). */
const NON_CRITICAL = 1024;
/** cosmos.tx.v1beta1.TxBody.non_critical_extension_options: has the bit set, but is a known field. */
const KNOWN = 2047;

interface Walked {
  readonly value: number;
  readonly next: number;
}

/** Reads a varint of up to 32 bits; undefined if there is none. */
function varint(bytes: Bytes, start: number): Walked | undefined {
  let value = 0;
  for (let i = 0; i < 5; i++) {
    const byte = bytes[start + i];
    if (byte === undefined) return undefined;
    value += (byte & 127) * 2 ** (7 * i);
    if (byte < 128) return { value, next: start + i + 1 };
  }
  return undefined;
}

function endOfValue(bytes: Bytes, start: number, wire: number): number | undefined {
  if (wire === 0) {
    for (let at = start; at < start + 10; at++) {
      const byte = bytes[at];
      if (byte === undefined) return undefined;
      if (byte < 128) return at + 1;
    }
    return undefined;
  }
  if (wire === 1) return start + 8;
  if (wire === 5) return start + 4;
  const length = wire === 2 ? varint(bytes, start) : undefined;
  return length === undefined ? undefined : length.next + length.value;
}

/** The body without unknown non-critical fields; undefined if the bytes are not a message. */
export function withoutNonCritical(body: Bytes): Bytes | undefined {
  const kept: Bytes[] = [];
  let at = 0;
  while (at < body.length) {
    const tag = varint(body, at);
    const end = tag === undefined ? undefined : endOfValue(body, tag.next, tag.value % 8);
    if (tag === undefined || end === undefined || end > body.length) return undefined;
    const number = Math.floor(tag.value / 8);
    const isIgnored = (number & NON_CRITICAL) !== 0 && number !== KNOWN;
    if (!isIgnored) kept.push(body.subarray(at, end));
    at = end;
  }
  return joined(kept);
}
