/**
 * Postings: one database entry an indexed attribute. Keys of one value run by height, transaction and event, so that
 * an equality condition is one range, and what one event holds can be asked for by its exact key.
 */
import { sha256 } from '../../crypto/hash.ts';
import type { Bytes } from '../../lib/bytes.ts';
import { decodeUtf8, encodeUtf8 } from '../../lib/utf8.ts';
import { postingKey, readHeight } from '../../store/keys.ts';
import { decodeRecord, encodeRecord } from '../../store/record.ts';
import type { Height } from '../../types/ids.ts';
import type { KvOp } from '../../types/kvOp.ts';
import { canonicalText } from '../query/query.ts';

/** `q`: events of transactions; `w`: events of blocks. */
export type PostingKind = 'q' | 'w';

/** An event instance; `tx` is 0 for those of a block. */
export interface EventPlace {
  readonly height: Height;
  readonly tx: number;
  readonly event: number;
}

export interface Posting extends EventPlace {
  readonly value: string;
}

/** Longer values stand in the key by their hash, and whole in the entry. */
const VALUE_BYTES_MAX = 96;
const LONGER = 255;
const TAG_BYTES_MAX = 65_535;
const PLACE_BYTES = 16;
const TAGS_CACHED_MAX = 1024;

const tagBytes = new Map<string, Bytes>();

/** `length2 ‖ tag`, or undefined for a tag that no key can hold. */
export function tagPart(tag: string): Bytes | undefined {
  const known = tagBytes.get(tag);
  if (known !== undefined) return known;
  const text = encodeUtf8(tag);
  if (text.length > TAG_BYTES_MAX) return undefined;
  const part = new Uint8Array(2 + text.length);
  part[0] = text.length >>> 8;
  part[1] = text.length & 255;
  part.set(text, 2);
  // Tags come from our own event table; a flood of others is only not remembered.
  if (tagBytes.size < TAGS_CACHED_MAX) tagBytes.set(tag, part);
  return part;
}

/** `length2 ‖ tag ‖ length1 ‖ value`; `isWhole` when the key tells the value to the letter. */
export function attributePart(
  tag: string,
  value: string,
): { readonly bytes: Bytes; readonly isWhole: boolean } | undefined {
  const head = tagPart(tag);
  if (head === undefined) return undefined;
  const canonical = canonicalText(value);
  const short = asciiPart(head, canonical);
  if (short !== undefined) return { bytes: short, isWhole: canonical === value };
  const text = encodeUtf8(canonical);
  const isLong = text.length > VALUE_BYTES_MAX;
  const kept = isLong ? sha256(text) : text;
  const bytes = new Uint8Array(head.length + 1 + kept.length);
  bytes.set(head);
  bytes[head.length] = isLong ? LONGER : kept.length;
  bytes.set(kept, head.length + 1);
  return { bytes, isWhole: !isLong && canonical === value };
}

/** The common case in one pass: a short value of ASCII letters. */
function asciiPart(head: Bytes, value: string): Bytes | undefined {
  if (value.length > VALUE_BYTES_MAX) return undefined;
  const bytes = new Uint8Array(head.length + 1 + value.length);
  bytes.set(head);
  bytes[head.length] = value.length;
  for (let i = 0; i < value.length; i++) {
    const code = value.charCodeAt(i);
    if (code > 127) return undefined;
    bytes[head.length + 1 + i] = code;
  }
  return bytes;
}

const NOTHING = new Uint8Array(0);

/** The entry of an attribute; undefined when its tag is longer than any query can ask for. */
export function postingOp(
  kind: PostingKind,
  tag: string,
  value: string,
  place: EventPlace,
): Extract<KvOp, { type: 'put' }> | undefined {
  const attribute = attributePart(tag, value);
  if (attribute === undefined) return undefined;
  const key = postingKey(kind, attribute.bytes, place);
  // Most entries say everything by their key; there is nothing that a checksum could protect.
  return { type: 'put', key, value: attribute.isWhole ? NOTHING : encodeRecord(key, encodeUtf8(value)) };
}

/** Reads an entry back. `tagLength` is that of the tag part. */
export function readPosting(key: Bytes, record: Bytes, tagLength: number): Posting {
  const end = key.length - PLACE_BYTES;
  const text = record.length === 0 ? key.subarray(1 + tagLength + 1, end) : decodeRecord(key, record);
  const value = decodeUtf8(text) ?? '';
  return { value, ...readPlace(key) };
}

export function readPlace(key: Bytes): EventPlace {
  const end = key.length - PLACE_BYTES;
  return { height: readHeight(key, end), tx: readUint32(key, end + 8), event: readUint32(key, end + 12) };
}

function readUint32(bytes: Bytes, at: number): number {
  let value = 0;
  for (let i = 0; i < 4; i++) value = value * 256 + (bytes[at + i] as number);
  return value;
}
