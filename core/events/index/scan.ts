import type { Bytes } from '../../lib/bytes.ts';
import { concat } from '../../lib/bytes.ts';
import type { Sizes } from '../../lib/sizes.ts';
import { postingKey } from '../../store/keys.ts';
import type { KvStore } from '../../store/kv.ts';
import type { Height } from '../../types/ids.ts';
import type { ValueTest } from './plan.ts';
import {
  attributePart,
  type EventPlace,
  heightOf,
  type Posting,
  type PostingKind,
  readPostings,
  tagPart,
} from './posting.ts';

/** Entries read at a time. Each may list every event of its height. */
const ROWS_MAX = 128;

/** The database to read, and how much to read in one go. */
export interface Scanned {
  readonly kv: KvStore;
  readonly sizes: Sizes;
}

export interface Heights {
  readonly low: Height;
  readonly high: Height;
}

/** Reads a range of the index piece by piece. */
export interface Cursor {
  /** The events found so far. */
  readonly places: readonly EventPlace[];
  /** Number of entries read so far, plus the events they list. */
  readonly looked: number;
  /** Reads the next piece. True if there is no more. */
  advance(): Promise<boolean>;
}

/** Adds the wanted events of an entry to `into`. Returns how many events it looked at. */
type Take = (key: Bytes, record: Bytes, into: EventPlace[]) => number;

class RangeCursor implements Cursor {
  readonly places: EventPlace[] = [];
  looked = 0;
  readonly #kv: KvStore;
  readonly #lt: Bytes;
  readonly #take: Take;
  readonly #rowsMax: number;
  #gte: Bytes;

  constructor({ kv, sizes }: Scanned, range: { readonly gte: Bytes; readonly lt: Bytes }, take: Take) {
    this.#kv = kv;
    this.#rowsMax = sizes.atOnce(ROWS_MAX);
    this.#gte = range.gte;
    this.#lt = range.lt;
    this.#take = take;
  }

  async advance(): Promise<boolean> {
    const rows = await this.#kv.range({ gte: this.#gte, lt: this.#lt, limitMax: this.#rowsMax });
    for (const [key, record] of rows) this.looked += 1 + this.#take(key, record, this.places);
    const last = rows.at(-1);
    if (last !== undefined) this.#gte = concat(last[0], Uint8Array.of(0));
    return rows.length < this.#rowsMax;
  }
}

const NOTHING: Cursor = { places: [], looked: 0, advance: async () => true };

/** The events that have the attribute with exactly this value, in order. */
export function scanValue(
  scanned: Scanned,
  kind: PostingKind,
  tag: string,
  value: string,
  { low, high }: Heights,
): Cursor {
  const attribute = attributePart(tag, value)?.bytes;
  const tagLength = tagPart(tag)?.length;
  if (attribute === undefined || tagLength === undefined) return NOTHING;
  const range = { gte: postingKey(kind, attribute, low), lt: postingKey(kind, attribute, high + 1) };
  return new RangeCursor(scanned, range, (key, record, into) => {
    const places = placesOf(readPostings(key, record, tagLength));
    for (const place of places) into.push(place);
    return places.length;
  });
}

/** The events of one height that have the attribute with exactly this value, in order. */
export function placesAt(
  kv: KvStore,
  kind: PostingKind,
  tag: string,
  value: string,
  height: Height,
): readonly EventPlace[] {
  const attribute = attributePart(tag, value)?.bytes;
  const tagLength = tagPart(tag)?.length;
  if (attribute === undefined || tagLength === undefined) return [];
  const key = postingKey(kind, attribute, height);
  const record = kv.get(key);
  return record === undefined ? [] : placesOf(readPostings(key, record, tagLength));
}

/** Joins the events of all spellings of one value, in order. */
function placesOf(postings: readonly Posting[]): readonly EventPlace[] {
  const [first, ...others] = postings;
  if (first === undefined) return [];
  return others.length === 0
    ? first.places
    : postings.flatMap(({ places }) => places).sort((a, b) => a.tx - b.tx || a.event - b.event);
}

/** The events whose value of the attribute passes the test, in no particular order. */
export function scanTag(
  scanned: Scanned,
  kind: PostingKind,
  tag: string,
  test: ValueTest,
  { low, high }: Heights,
): Cursor {
  const part = tagPart(tag);
  if (part === undefined) return NOTHING;
  const prefix = concat(Uint8Array.of(kind.charCodeAt(0)), part);
  // The byte after the tag is a length, or 255 before a hash, so all keys of the tag are below this bound.
  const lt = concat(prefix, new Uint8Array(64).fill(255));
  return new RangeCursor(scanned, { gte: prefix, lt }, (key, record, into) => {
    const height = heightOf(key);
    if (height < low || height > high) return 0;
    let looked = 0;
    for (const { value, places } of readPostings(key, record, part.length)) {
      looked += places.length;
      if (test(value)) for (const place of places) into.push(place);
    }
    return looked;
  });
}
