import type { Bytes } from '../../lib/bytes.ts';
import { err, ok, type Result } from '../../lib/result.ts';

/** A decoded RLP value: a string of bytes or a list. */
export type RlpItem = Bytes | readonly RlpItem[];

export interface RlpError {
  readonly code: 'rlp';
  /** geth wording, with its `rlp: ` prefix. */
  readonly message: string;
}

/** Nesting of outside data; Ethereum's deepest value (a block with access lists) needs six. */
const DEPTH_MAX = 16;

const fail = (message: string): { readonly ok: false; readonly error: RlpError } =>
  err({ code: 'rlp', message: `rlp: ${message}` });

interface Head {
  readonly isList: boolean;
  readonly start: number;
  readonly end: number;
}

/** Reads a big-endian length of `count` bytes; canonical form has no leading zero and is above 55. */
function longLength(bytes: Bytes, at: number, count: number): number {
  if (count > 4 || at + count > bytes.length || bytes[at] === 0) return -1;
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

/** Strict decoding (Yellow Paper appendix B): canonical lengths only, exactly one value, copies not windows. */
export function decodeRlp(bytes: Bytes): Result<RlpItem, RlpError> {
  const head = readHead(bytes, 0, bytes.length);
  if (!head.ok) return head;
  if (head.value.end !== bytes.length) return fail('input contains more than one value');
  return readItem(bytes, head.value, 0);
}

const lengthBytes = (length: number): number[] => {
  const out: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) out.unshift(rest % 256);
  return out;
};

const headSize = (length: number): number => (length <= 55 ? 1 : 1 + lengthBytes(length).length);

const isBytes = (item: RlpItem): item is Bytes => item instanceof Uint8Array;

function payloadSize(item: RlpItem): number {
  if (isBytes(item)) return item.length;
  let size = 0;
  for (const inner of item) size += encodedSize(inner);
  return size;
}

/** Bytes that `encodeRlp` would give. */
export function encodedSize(item: RlpItem): number {
  if (isBytes(item) && item.length === 1 && (item[0] as number) < 0x80) return 1;
  const payload = payloadSize(item);
  return headSize(payload) + payload;
}

function writeItem(item: RlpItem, out: Bytes, at: number): number {
  if (isBytes(item) && item.length === 1 && (item[0] as number) < 0x80) {
    out[at] = item[0] as number;
    return at + 1;
  }
  const base = isBytes(item) ? 0x80 : 0xc0;
  const payload = payloadSize(item);
  let next = at;
  if (payload <= 55) out[next++] = base + payload;
  else {
    const length = lengthBytes(payload);
    out[next++] = base + 55 + length.length;
    for (const byte of length) out[next++] = byte;
  }
  if (isBytes(item)) {
    out.set(item, next);
    return next + item.length;
  }
  for (const inner of item) next = writeItem(inner, out, next);
  return next;
}

export function encodeRlp(item: RlpItem): Bytes {
  const out = new Uint8Array(encodedSize(item));
  writeItem(item, out, 0);
  return out;
}
