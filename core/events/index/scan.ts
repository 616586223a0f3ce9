import type { Bytes } from '../../lib/bytes.ts';
import { concat } from '../../lib/bytes.ts';
import { postingKey } from '../../store/keys.ts';
import type { KvStore } from '../../store/kv.ts';
import type { Height } from '../../types/ids.ts';
import type { ValueTest } from './plan.ts';
import {
  attributePart,
  type EventPlace,
  type PostingKind,
  readPlace,
  readPosting,
  tagPart,
} from './posting.ts';

/** Entries read at a time. */
const ROWS_MAX = 512;

export interface Heights {
  readonly low: Height;
  readonly high: Height;
}

/** Reads a range of the index piece by piece. */
export interface Cursor {
  /** Found so far. */
  readonly places: readonly EventPlace[];
  /** Entries read so far. */
  readonly looked: number;
  /** Reads on; true when there is no more. */
  advance(): Promise<boolean>;
}

class RangeCursor implements Cursor {
  readonly places: EventPlace[] = [];
  looked = 0;
  readonly #kv: KvStore;
  readonly #lt: Bytes;
  readonly #take: (key: Bytes, record: Bytes) => EventPlace | undefined;
  #gte: Bytes;

  constructor(
    kv: KvStore,
    range: { readonly gte: Bytes; readonly lt: Bytes },
    take: (key: Bytes, record: Bytes) => EventPlace | undefined,
  ) {
    this.#kv = kv;
    this.#gte = range.gte;
    this.#lt = range.lt;
    this.#take = take;
  }

  async advance(): Promise<boolean> {
    const rows = await this.#kv.range({ gte: this.#gte, lt: this.#lt, limitMax: ROWS_MAX });
    for (const [key, record] of rows) {
      const place = this.#take(key, record);
      if (place !== undefined) this.places.push(place);
    }
    this.looked += rows.length;
    const last = rows.at(-1);
    if (last !== undefined) this.#gte = concat(last[0], Uint8Array.of(0));
    return rows.length < ROWS_MAX;
  }
}

const NOTHING: Cursor = { places: [], looked: 0, advance: async () => true };

/** Events that have the attribute with exactly this value, in order. */
export function scanValue(
  kv: KvStore,
  kind: PostingKind,
  tag: string,
  value: string,
  { low, high }: Heights,
): Cursor {
  const attribute = attributePart(tag, value)?.bytes;
  if (attribute === undefined) return NOTHING;
  const gte = postingKey(kind, attribute, { height: low, tx: 0, event: 0 });
  const lt = postingKey(kind, attribute, { height: high + 1, tx: 0, event: 0 });
  return new RangeCursor(kv, { gte, lt }, readPlace);
}

/** Events that have the attribute with a value that passes the test, in no useful order. */
export function scanTag(
  kv: KvStore,
  kind: PostingKind,
  tag: string,
  test: ValueTest,
  { low, high }: Heights,
): Cursor {
  const part = tagPart(tag);
  if (part === undefined) return NOTHING;
  const prefix = concat(Uint8Array.of(kind.charCodeAt(0)), part);
  // A value's length byte is below 255 or is 255 for a hash: nothing of this tag lies beyond 0xff … 0xff.
  const lt = concat(prefix, new Uint8Array(64).fill(255));
  return new RangeCursor(kv, { gte: prefix, lt }, (key, record) => {
    const posting = readPosting(key, record, part.length);
    const isWanted = posting.height >= low && posting.height <= high && test(posting.value);
    return isWanted ? { height: posting.height, tx: posting.tx, event: posting.event } : undefined;
  });
}
