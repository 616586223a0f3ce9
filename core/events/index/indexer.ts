/**
 * Writes the event index. Its entries are in the batch that commits a block, so after any crash the index covers
 * exactly the heights of the store. Heights that were stored while indexing was off are filled in at the next start
 * with indexing.
 */

import { decodeRecord, putRecord } from '../../codec/record.ts';
import { append } from '../../lib/append.ts';
import { type Bytes, concat } from '../../lib/bytes.ts';
import { kept, StorageFault } from '../../lib/storageFault.ts';
import { INDEX_KEY, putHeight, readHeight, resultsKey } from '../../store/keys.ts';
import type { KvStore } from '../../store/kv.ts';
import type { FinalizeReply, Pause } from '../../types/app.ts';
import type { Height } from '../../types/ids.ts';
import type { KvOp } from '../../types/kvOp.ts';
import type { AbciEvent } from '../../types/result.ts';
import { BLOCK_HEIGHT_KEY, TX_HASH_KEY, TX_HEIGHT_KEY } from '../eventModel.ts';
import { logPostingsOf } from './logPosting.ts';
import { HeightPostings, type PostingKind } from './posting.ts';

/** The heights that the index covers, both bounds inclusive. */
export interface Coverage {
  readonly from: Height;
  readonly to: Height;
}

/** Reads decided heights from the store. */
export interface IndexedReads {
  head(): Height;
  base(): Height;
  results(height: Height): FinalizeReply | undefined;
}

type Put = Extract<KvOp, { type: 'put' }>;

/** Keys that the index answers itself. The application cannot add entries for them. */
const RESERVED: Readonly<Record<PostingKind, readonly string[]>> = {
  Q: [TX_HASH_KEY, TX_HEIGHT_KEY],
  W: [BLOCK_HEIGHT_KEY],
};

const ENTRIES_PER_BATCH_MAX = 20_000;

/** The tags of one kind of attributes. Each text is made once for all events of a height. */
class Tags {
  readonly kind: PostingKind;
  readonly #known = new Map<string, Map<string, string>>();

  constructor(kind: PostingKind) {
    this.kind = kind;
  }

  /** The tag, or an empty text if the attribute is not indexed. */
  of(type: string, key: string): string {
    let keys = this.#known.get(type);
    if (keys === undefined) {
      keys = new Map();
      this.#known.set(type, keys);
    }
    let tag = keys.get(key);
    if (tag === undefined) {
      tag = `${type}.${key}`;
      if (type === '' || key === '' || RESERVED[this.kind].includes(tag)) tag = '';
      keys.set(key, tag);
    }
    return tag;
  }
}

function addEvents(postings: HeightPostings, tags: Tags, tx: number, events: readonly AbciEvent[]): void {
  for (let event = 0; event < events.length; event++) {
    const { type, attributes } = events[event] as AbciEvent;
    for (const { key, value, index } of attributes) {
      const tag = index ? tags.of(type, key) : '';
      if (tag !== '') postings.add(tags.kind, tag, value, tx, event);
    }
  }
}

/** All entries of one height. */
function postingsOf(height: Height, results: FinalizeReply): readonly Put[] {
  const postings = new HeightPostings(height);
  const tags = new Tags('Q');
  addEvents(postings, new Tags('W'), 0, results.events);
  for (const [tx, result] of results.txResults.entries()) addEvents(postings, tags, tx, result.events);
  return [...postings.ops(), ...logPostingsOf(height, results)];
}

function coverageOp(coverage: Coverage): Put {
  const payload = new Uint8Array(16);
  putHeight(payload, 0, coverage.from);
  putHeight(payload, 8, coverage.to);
  return putRecord(INDEX_KEY, payload);
}

/** undefined if nothing is indexed. */
export function readCoverage(kv: Pick<KvStore, 'get'>): Coverage | undefined {
  const record = kv.get(INDEX_KEY);
  if (record === undefined) return undefined;
  const payload = decodeRecord(INDEX_KEY, record);
  return { from: readHeight(payload, 0), to: readHeight(payload, 8) };
}

/** For the batch that commits the height: its entries, and the coverage extended to it. */
export function commitIndexOps(
  kv: Pick<KvStore, 'get'>,
  height: Height,
  results: FinalizeReply,
): readonly KvOp[] {
  const coverage = readCoverage(kv);
  if (coverage !== undefined && coverage.to !== height - 1)
    throw new StorageFault(`the index reaches to ${coverage.to}, not to ${height - 1}`, INDEX_KEY);
  return [...postingsOf(height, results), coverageOp({ from: coverage?.from ?? height, to: height })];
}

/** For the batch that rolls the newest height back. */
export function undoIndexOps(
  kv: Pick<KvStore, 'get'>,
  height: Height,
  results: FinalizeReply,
): readonly KvOp[] {
  const coverage = readCoverage(kv);
  if (coverage === undefined || coverage.to !== height) return [];
  const left = coverage.from < height ? coverageOp({ from: coverage.from, to: height - 1 }) : undefined;
  return [...pruneIndexOps(height, results), left ?? { type: 'del', key: INDEX_KEY }];
}

/** For the batch that prunes the height. */
export const pruneIndexOps = (height: Height, results: FinalizeReply): readonly KvOp[] =>
  postingsOf(height, results).map(({ key }) => ({ type: 'del', key }));

/** Indexes the heights that the index lacks. May be interrupted anywhere: the next call continues from there. */
export async function fillIndex(
  kv: KvStore,
  reads: IndexedReads,
  pause: Pause,
  onHeight: (height: Height) => void = () => {},
): Promise<void> {
  const head = reads.head();
  const base = Math.max(reads.base(), 1);
  const coverage = readCoverage(kv);
  const first = Math.max(base, (coverage?.to ?? 0) + 1);
  // After a gap the coverage starts anew, because the heights before it have been pruned from the store.
  let from = coverage === undefined || first > coverage.to + 1 ? first : coverage.from;
  let ops: KvOp[] = [];
  for (let height = first; height <= head; height++) {
    const results = kept(reads.results(height), 'the results of a kept height', resultsKey(height));
    append(ops, postingsOf(height, results));
    if (ops.length >= ENTRIES_PER_BATCH_MAX || height === head) {
      from = Math.min(from, height);
      await kv.batch([...ops, coverageOp({ from, to: height })]);
      ops = [];
      onHeight(height);
    }
    await pause();
  }
}

const endOf = (kind: PostingKind | 'L'): Bytes => Uint8Array.of(kind.charCodeAt(0) + 1);

/** Deletes the whole index. After an interruption the index counts as empty and is filled again. */
export async function clearIndex(kv: KvStore): Promise<void> {
  await kv.batch([{ type: 'del', key: INDEX_KEY }]);
  for (const kind of ['Q', 'W', 'L'] as const) {
    let gte: Bytes = Uint8Array.of(kind.charCodeAt(0));
    for (;;) {
      const rows = await kv.range({ gte, lt: endOf(kind), limitMax: ENTRIES_PER_BATCH_MAX });
      const last = rows.at(-1);
      if (last === undefined) break;
      await kv.batch(rows.map(([key]) => ({ type: 'del', key })));
      gte = concat(last[0], Uint8Array.of(0));
    }
  }
}
