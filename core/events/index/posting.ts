/**
 * Postings: one database entry per indexed attribute and height, which lists the events that have the attribute. A
 * block of similar transactions has few entries. Keys of one value are in order of height, so an equality condition is
 * one range, and the events of one height can be read by the exact key.
 *
 * Payload: one or more groups of `varint n ‖ text of n - 1 bytes ‖ varint count ‖ count × (varint tx - tx before,
 * varint event)`. If n = 0, the value is the one in the key; otherwise it has another spelling or is longer than keys
 * hold.
 */

import { decodeRecord, putWritten } from '../../codec/record.ts';
import { Reader } from '../../codec/wire.ts';
import type { Writer } from '../../codec/writer.ts';
import { sha256 } from '../../crypto/hash.ts';
import type { Bytes } from '../../lib/bytes.ts';
import { StorageFault } from '../../lib/storageFault.ts';
import { decodeUtf8, encodeUtf8 } from '../../lib/utf8.ts';
import { postingKey, readHeight } from '../../store/keys.ts';
import type { Height } from '../../types/ids.ts';
import type { KvOp } from '../../types/kvOp.ts';
import { canonicalText } from '../query/query.ts';

/** `Q` for events of transactions, `W` for events of blocks. */
export type PostingKind = 'Q' | 'W';

/** One event. `tx` is 0 for an event of the block itself. */
export interface EventPlace {
  readonly height: Height;
  readonly tx: number;
  readonly event: number;
}

/** The events of one height that have an attribute, in order, with the value as spelled there. */
export interface Posting {
  readonly value: string;
  readonly places: readonly EventPlace[];
}

/** Longer values are in the key as a hash, and in full in the entry. */
const VALUE_BYTES_MAX = 96;
const LONGER = 255;
const TAG_BYTES_MAX = 65_535;
const HEIGHT_BYTES = 8;
const TAGS_CACHED_MAX = 1024;

const tagBytes = new Map<string, Bytes>();

/** `length2 ‖ tag`; undefined for a tag too long for a key. */
export function tagPart(tag: string): Bytes | undefined {
  const known = tagBytes.get(tag);
  if (known !== undefined) return known;
  const text = encodeUtf8(tag);
  if (text.length > TAG_BYTES_MAX) return undefined;
  const part = new Uint8Array(2 + text.length);
  part[0] = text.length >>> 8;
  part[1] = text.length & 255;
  part.set(text, 2);
  // Tags come from our own event table. If there are too many others, they are just not cached.
  if (tagBytes.size < TAGS_CACHED_MAX) tagBytes.set(tag, part);
  return part;
}

/** `length2 ‖ tag ‖ length1 ‖ value`. `isWhole` is true if the key holds the value exactly as spelled. */
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

/** Fast path for the usual case, a short ASCII value. undefined for others. */
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

type Put = Extract<KvOp, { type: 'put' }>;

/** One spelling of a value at one height. `slots` alternates transaction and event. */
interface Group {
  readonly value: string;
  readonly slots: number[];
}

interface Entry {
  readonly key: Bytes;
  readonly isWhole: boolean;
  readonly groups: Group[];
}

/** One tag at one height: its groups by the spelled value, its entries by the canonical value. */
interface Tagged {
  readonly groups: Map<string, Group>;
  readonly entries: Map<string, Entry>;
}

/** Collects the entries of one height. */
export class HeightPostings {
  readonly #height: Height;
  readonly #tagged: Readonly<Record<PostingKind, Map<string, Tagged>>> = { Q: new Map(), W: new Map() };
  /** In the order in which they were begun. */
  readonly #entries: Entry[] = [];

  constructor(height: Height) {
    this.#height = height;
  }

  /** Call in order of transactions and events. Omits a tag that is too long for a key. */
  add(kind: PostingKind, tag: string, value: string, tx: number, event: number): void {
    let tagged = this.#tagged[kind].get(tag);
    if (tagged === undefined) {
      tagged = { groups: new Map(), entries: new Map() };
      this.#tagged[kind].set(tag, tagged);
    }
    const group = tagged.groups.get(value);
    if (group !== undefined) group.slots.push(tx, event);
    // Most values belong to one event. An array that starts empty would reserve room for many.
    else this.#begin(kind, tag, { value, slots: [tx, event] }, tagged);
  }

  #begin(kind: PostingKind, tag: string, group: Group, { groups, entries }: Tagged): void {
    const { value } = group;
    const canonical = canonicalText(value);
    const known = entries.get(canonical);
    if (known !== undefined) {
      groups.set(value, group);
      known.groups.push(group);
      return;
    }
    const attribute = attributePart(tag, value);
    if (attribute === undefined) return;
    groups.set(value, group);
    const key = postingKey(kind, attribute.bytes, this.#height);
    const entry = { key, isWhole: attribute.isWhole, groups: [group] };
    entries.set(canonical, entry);
    this.#entries.push(entry);
  }

  ops(): Put[] {
    return this.#entries.map((entry) => putWritten(entry.key, writeEntry, entry));
  }
}

function writeEntry(writer: Writer, { isWhole, groups }: Entry): void {
  for (const { value, slots } of groups) {
    const isInKey = isWhole && groups.length === 1;
    const text = isInKey ? undefined : encodeUtf8(value);
    writer.uint32(text === undefined ? 0 : text.length + 1);
    if (text !== undefined) writer.raw(text);
    writer.uint32(slots.length / 2);
    let before = 0;
    for (let i = 0; i < slots.length; i += 2) {
      const tx = slots[i] as number;
      writer.uint32(tx - before);
      writer.uint32(slots[i + 1] as number);
      before = tx;
    }
  }
}

export const heightOf = (key: Bytes): Height => readHeight(key, key.length - HEIGHT_BYTES);

/** Decodes an entry. `tagLength` is the length of the tag part. */
export function readPostings(key: Bytes, record: Bytes, tagLength: number): readonly Posting[] {
  const payload = decodeRecord(key, record);
  const reader = new Reader(payload);
  const height = heightOf(key);
  const groups: Posting[] = [];
  while (reader.error === undefined && reader.at < reader.end) {
    const length = reader.uint32('posting.value');
    const inKey = key.subarray(1 + tagLength + 1, key.length - HEIGHT_BYTES);
    const text = length === 0 ? inKey : payload.subarray(reader.at, reader.at + length - 1);
    if (length > 0) reader.at += length - 1;
    const count = reader.uint32('posting.count');
    const places: EventPlace[] = [];
    let tx = 0;
    for (let i = 0; i < count && reader.error === undefined; i++) {
      tx += reader.uint32('posting.tx');
      places.push({ height, tx, event: reader.uint32('posting.event') });
    }
    groups.push({ value: decodeUtf8(text) ?? '', places });
  }
  if (reader.error !== undefined) throw new StorageFault(reader.error.message, key);
  return groups;
}
