/**
 * The part of RLP that tries need (Yellow Paper, appendix B). Items are slices of their encoding, so a node is read and
 * rewritten by copying, without building trees of arrays.
 */
import { assert } from '../lib/assert.ts';
import { type Bytes, EMPTY } from '../lib/bytes.ts';
import { Rooms } from '../lib/room.ts';

/** The empty string as an item. In a branch it means "no child". */
export const EMPTY_ITEM: Bytes = Uint8Array.of(0x80);

/** Separate from the buffers of short-lived bytes, because nodes stay in the cache. */
const rooms = new Rooms();

const sizeOfLength = (length: number): number =>
  length < 0x100 ? 1 : length < 0x10000 ? 2 : length < 0x1000000 ? 3 : 4;

/** Writes an item's header for `length` bytes of payload and returns where the payload begins. */
function putHeader(out: Bytes, at: number, base: number, length: number): number {
  if (length <= 55) {
    out[at] = base + length;
    return at + 1;
  }
  const size = sizeOfLength(length);
  out[at] = base + 55 + size;
  for (let i = 0; i < size; i++) out[at + 1 + i] = (length >>> (8 * (size - 1 - i))) & 255;
  return at + 1 + size;
}

const headerSize = (length: number): number => (length <= 55 ? 1 : 1 + sizeOfLength(length));

/** The item of a byte string. */
export function encodeString(bytes: Bytes): Bytes {
  if (bytes.length === 1 && (bytes[0] as number) < 0x80) return bytes;
  const out = rooms.take(headerSize(bytes.length) + bytes.length);
  out.set(bytes, putHeader(out, 0, 0x80, bytes.length));
  return out;
}

/** Allocates a list for `length` bytes of items and writes its header. The items begin at `start`. */
export function startList(length: number): { readonly out: Bytes; readonly start: number } {
  const out = rooms.take(headerSize(length) + length);
  return { out, start: putHeader(out, 0, 0xc0, length) };
}

/** The list item whose members are these items. */
export function encodeList(items: readonly Bytes[]): Bytes {
  let length = 0;
  for (const item of items) length += item.length;
  const { out, start } = startList(length);
  let at = start;
  for (const item of items) {
    out.set(item, at);
    at += item.length;
  }
  return out;
}

/** A big-endian number without leading zeros: RLP's form of integers. */
export function encodeUint(value: bigint): Bytes {
  if (value === 0n) return EMPTY;
  const digits = value.toString(16);
  const out = new Uint8Array((digits.length + 1) >>> 1);
  for (let i = out.length - 1, end = digits.length; i >= 0; i--, end -= 2) {
    out[i] = Number.parseInt(digits.slice(end < 2 ? 0 : end - 2, end), 16);
  }
  return out;
}

export function decodeUint(raw: Bytes, start: number, end: number): bigint {
  let value = 0n;
  // Four bytes at a time: most nonces and many balances need one or two big-integer steps.
  for (let at = start; at < end; ) {
    const count = end - at < 4 ? end - at : 4;
    let word = 0;
    for (let i = 0; i < count; i++) word = word * 256 + (raw[at + i] as number);
    value = (value << BigInt(8 * count)) | BigInt(word);
    at += count;
  }
  return value;
}

/** Where the payload of the item at `at` begins. */
export function payloadStart(raw: Bytes, at: number): number {
  const first = raw[at] as number;
  if (first < 0x80) return at;
  if (first < 0xb8) return at + 1;
  if (first < 0xc0) return at + 1 + (first - 0xb7);
  if (first < 0xf8) return at + 1;
  return at + 1 + (first - 0xf7);
}

/** Where the item at `at` ends. */
export function itemEnd(raw: Bytes, at: number): number {
  const first = raw[at] as number;
  if (first < 0x80) return at + 1;
  if (first < 0xb8) return at + 1 + (first - 0x80);
  if (first >= 0xc0 && first < 0xf8) return at + 1 + (first - 0xc0);
  const size = first - (first < 0xc0 ? 0xb7 : 0xf7);
  assert(size <= 4, 'RLP item of more than 4 GiB');
  let length = 0;
  for (let i = 1; i <= size; i++) length = length * 256 + (raw[at + i] as number);
  return at + 1 + size + length;
}

/** The starts of the `count` items in the list `raw`, then the end; undefined if it has another number of items. */
export function itemStarts(raw: Bytes, count: number): number[] | undefined {
  if (raw.length === 0 || (raw[0] as number) < 0xc0) return undefined;
  const starts: number[] = [];
  let at = payloadStart(raw, 0);
  while (at < raw.length && starts.length < count) {
    starts.push(at);
    const first = raw[at];
    at = first === 0x80 ? at + 1 : first === 0xa0 ? at + 33 : itemEnd(raw, at);
  }
  if (starts.length !== count || at !== raw.length) return undefined;
  starts.push(at);
  return starts;
}
