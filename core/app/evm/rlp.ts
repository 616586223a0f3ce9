import type { Bytes } from '../../lib/bytes.ts';
import { err, ok, type Result } from '../../lib/result.ts';
import { room } from '../../lib/room.ts';

/** A decoded RLP value: a string of bytes or a list. */
export type RlpItem = Bytes | readonly RlpItem[];

export interface RlpError {
  readonly code: 'rlp';
  /** geth wording, with its `rlp: ` prefix. */
  readonly message: string;
}

/** Maximum nesting of untrusted data; Ethereum's deepest value (a block with access lists) needs six levels. */
const DEPTH_MAX = 16;

const fail = (message: string): { readonly ok: false; readonly error: RlpError } =>
  err({ code: 'rlp', message: `rlp: ${message}` });

interface Head {
  readonly isList: boolean;
  readonly start: number;
  readonly end: number;
}

/**
 * Reads a big-endian length of `count` bytes; -1 if it is not canonical (a leading zero, or at most 55) or too long.
 */
function longLength(bytes: Bytes, at: number, count: number): number {
  if (count > 4 || bytes[at] === 0) return -1;
  let length = 0;
  for (let i = 0; i < count; i++) length = length * 256 + (bytes[at + i] as number);
  return length > 55 ? length : -1;
}

function readHead(bytes: Bytes, at: number, end: number): Result<Head, RlpError> {
  const first = bytes[at];
  if (first === undefined || at >= end) return fail('unexpected EOF');
  if (first < 0x80) return ok({ isList: false, start: at, end: at + 1 });
  const isList = first >= 0xc0;
  const short = first - (isList ? 0xc0 : 0x80);
  let start = at + 1;
  let length = short;
  if (short > 55) {
    if (start + short - 55 > end) return fail('value size exceeds available input length');
    length = longLength(bytes, start, short - 55);
    if (length < 0) return fail('non-canonical size information');
    start += short - 55;
  }
  if (start + length > end) return fail('value size exceeds available input length');
  if (!isList && length === 1 && short === 1 && (bytes[start] as number) < 0x80) {
    return fail('non-canonical size information');
  }
  return ok({ isList, start, end: start + length });
}

function readItem(bytes: Bytes, head: Head, depth: number): Result<RlpItem, RlpError> {
  if (!head.isList) return ok(bytes.slice(head.start, head.end));
  if (depth >= DEPTH_MAX) return fail('value nested too deeply');
  const items: RlpItem[] = [];
  let at = head.start;
  while (at < head.end) {
    const inner = readHead(bytes, at, head.end);
    if (!inner.ok) return inner;
    const item = readItem(bytes, inner.value, depth + 1);
    if (!item.ok) return item;
    items.push(item.value);
    at = inner.value.end;
  }
  return ok(items);
}

/** Strict decoding (Yellow Paper appendix B): canonical lengths, exactly one value. The result copies the bytes. */
export function decodeRlp(bytes: Bytes): Result<RlpItem, RlpError> {
  const head = readHead(bytes, 0, bytes.length);
  if (!head.ok) return head;
  if (head.value.end !== bytes.length) return fail('input contains more than one value');
  return readItem(bytes, head.value, 0);
}

/** Whether there are more than so many values, lists among them. Looks no further, and decodes nothing. */
export function hasMoreValues(bytes: Bytes, valuesMax: number): boolean {
  let at = 0;
  for (let values = 0; at < bytes.length; values++) {
    if (values === valuesMax) return true;
    const head = readHead(bytes, at, bytes.length);
    // Decoding ends here as well, and says why.
    if (!head.ok) return false;
    at = head.value.isList ? head.value.start : head.value.end;
  }
  return false;
}

const isBytes = (item: RlpItem): item is Bytes => item instanceof Uint8Array;

/** Size of the length field of a payload longer than 55 bytes. */
const lengthSize = (length: number): number =>
  length < 0x100 ? 1 : length < 0x1_0000 ? 2 : length < 0x100_0000 ? 3 : 4;

const headSize = (length: number): number => (length <= 55 ? 1 : 1 + lengthSize(length));

/** The size in bytes of what `encodeRlp` returns. */
export function encodedSize(item: RlpItem): number {
  if (isBytes(item)) {
    const { length } = item;
    return length === 1 && (item[0] as number) < 0x80 ? 1 : headSize(length) + length;
  }
  let payload = 0;
  for (const inner of item) payload += encodedSize(inner);
  return headSize(payload) + payload;
}

/** Writes the head of a payload that starts at `at`; returns the start of the head. */
function writeHead(out: Bytes, at: number, base: number, length: number): number {
  if (length <= 55) {
    out[at - 1] = base + length;
    return at - 1;
  }
  let next = at;
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) out[--next] = rest % 256;
  out[next - 1] = base + 55 + (at - next);
  return next - 1;
}

/** Writes backwards, so that a list's length is known when its head is written; returns the start of the item. */
function writeItem(item: RlpItem, out: Bytes, end: number): number {
  let at = end;
  if (isBytes(item)) {
    at -= item.length;
    out.set(item, at);
    return item.length === 1 && (item[0] as number) < 0x80 ? at : writeHead(out, at, 0x80, item.length);
  }
  for (let i = item.length - 1; i >= 0; i--) at = writeItem(item[i] as RlpItem, out, at);
  return writeHead(out, at, 0xc0, end - at);
}

export function encodeRlp(item: RlpItem): Bytes {
  const out = room(encodedSize(item));
  writeItem(item, out, out.length);
  return out;
}
