import type { ChainReader } from '../../app/chain.ts';
import { parseHex } from '../../lib/bytes.ts';
import { Gate } from '../../lib/gate.ts';
import { err, ok, type Result } from '../../lib/result.ts';
import { type Sizes, USUAL_SIZES } from '../../lib/sizes.ts';
import { postingKey } from '../../store/keys.ts';
import type { KvStore } from '../../store/kv.ts';
import type { FinalizeReply, Pause } from '../../types/app.ts';
import type { Hash, Height } from '../../types/ids.ts';
import type { AbciEvent } from '../../types/result.ts';
import { BLOCK_HEIGHT_KEY, EVENT_KEY, TX_HASH_KEY, TX_HEIGHT_KEY } from '../eventModel.ts';
import type { Condition } from '../query/parser.ts';
import type { Query } from '../query/query.ts';
import { readCoverage } from './indexer.ts';
import { LogHeights } from './logHeights.ts';
import { ANY_LOG, type LogItem } from './logPosting.ts';
import { type Plan, planOf, type Term } from './plan.ts';
import { attributePart, type EventPlace, heightOf, type PostingKind } from './posting.ts';
import { type Cursor, placesAt, scanTag, scanValue } from './scan.ts';

/** What a search reads from the chain. Heights outside base..head are not searched. */
export interface SearchReads {
  head(): Height;
  base(): Height;
  results(height: Height): FinalizeReply | undefined;
  /** Number of transactions at a kept height. */
  txCount(height: Height): number;
  /** By sha256 of the transaction. */
  txLocation(hash: Hash): { readonly height: Height; readonly index: number } | undefined;
}

export interface TxPlace {
  readonly height: Height;
  readonly index: number;
}

/** Adapts the chain reader for searches. */
export const searchReads = (reader: ChainReader): SearchReads => ({
  head: () => reader.head(),
  base: () => reader.base(),
  results: (height) => reader.results(height),
  txCount: (height) => reader.blockMeta(height)?.numTxs ?? 0,
  txLocation: (hash) => reader.txLocation(hash),
});

/** The query can be answered, but not within the limits of one request. */
export interface SearchError {
  readonly code: 'too-much';
  readonly message: string;
}

/** Searches that run at the same time: each may hold as many places as it may take steps. */
const SEARCHES_MAX = 2;
const STEPS_MAX = 2_000_000;
const STEPS_PER_PAUSE = 512;

const KINDS_OF_TX = ['Tx'];
const KINDS_OF_BLOCK = ['NewBlock', 'NewBlockHeader', 'NewBlockEvents'];

class TooMuch extends Error {}

/** tx_search and block_search on the node's own index. */
export class EventSearch {
  readonly #kv: KvStore;
  readonly #reads: SearchReads;
  readonly #pause: Pause;
  readonly #sizes: Sizes;
  readonly #stepsMax: number;
  readonly #gate = new Gate(SEARCHES_MAX);

  /** @param stepsMax Most events, or heights, that one search looks at. */
  constructor(
    kv: KvStore,
    reads: SearchReads,
    pause: Pause = async () => {},
    sizes: Sizes = USUAL_SIZES,
    stepsMax = STEPS_MAX,
  ) {
    this.#kv = kv;
    this.#reads = reads;
    this.#pause = pause;
    this.#sizes = sizes;
    this.#stepsMax = stepsMax;
  }

  /** The matching transactions, in order of height and index. */
  async txs(query: Query): Promise<Result<readonly TxPlace[], SearchError>> {
    const byHash = query.conditions.find(({ tag, op }) => tag === TX_HASH_KEY && op === '=');
    if (byHash !== undefined) return ok(this.#byHash(byHash));
    return this.#search('Q', query, TX_HEIGHT_KEY, KINDS_OF_TX, async (plan, steps) => {
      const found: TxPlace[] = [];
      for (let height = plan.low; height <= plan.high; height++) {
        await steps();
        if (!plan.heightTests.every((test) => test(String(height)))) continue;
        const count = this.#reads.txCount(height);
        for (let index = 0; index < count; index++) found.push({ height, index });
        if (found.length > this.#stepsMax) throw new TooMuch();
      }
      return found;
    });
  }

  /** The matching heights, in order. */
  async blocks(query: Query): Promise<Result<readonly Height[], SearchError>> {
    const places = await this.#search('W', query, BLOCK_HEIGHT_KEY, KINDS_OF_BLOCK, async (plan, steps) => {
      const found: TxPlace[] = [];
      for (let height = plan.low; height <= plan.high; height++) {
        await steps();
        if (plan.heightTests.every((test) => test(String(height)))) found.push({ height, index: 0 });
      }
      return found;
    });
    return places.ok ? ok(places.value.map(({ height }) => height)) : places;
  }

  /**
   * Lowest height of from..to at which an event of the block or of a transaction has the attribute with this text;
   * undefined if there is none. Heights that the index does not cover count as matches.
   */
  async nextHeightWith(tag: string, value: string, from: Height, to: Height): Promise<Height | undefined> {
    const attribute = attributePart(tag, value);
    const coverage = readCoverage(this.#kv);
    if (attribute === undefined || coverage === undefined || from < coverage.from) return from;
    let next = coverage.to < to ? Math.max(from, coverage.to + 1) : undefined;
    for (const kind of ['Q', 'W'] as const) {
      const gte = postingKey(kind, attribute.bytes, from);
      const lt = postingKey(kind, attribute.bytes, next ?? to + 1);
      const [row] = from < (next ?? to + 1) ? await this.#kv.range({ gte, lt, limitMax: 1 }) : [];
      if (row !== undefined) next = heightOf(row[0]);
    }
    return next;
  }

  /** The heights that may have a log with one item of every group. Without groups, all heights with logs. */
  logHeights(groups: readonly (readonly LogItem[])[]): LogHeights {
    const wanted = groups.length === 0 ? [[ANY_LOG]] : groups;
    return new LogHeights(this.#kv, readCoverage(this.#kv), wanted, this.#sizes);
  }

  #byHash({ argument }: Condition): readonly TxPlace[] {
    const hash = parseHex(argument?.text ?? '');
    const place = hash.ok && hash.value.length === 32 ? this.#reads.txLocation(hash.value) : undefined;
    const isKept = place !== undefined && place.height >= this.#reads.base();
    return isKept ? [{ height: place.height, index: place.index }] : [];
  }

  async #search(
    kind: PostingKind,
    query: Query,
    heightTag: string,
    kinds: readonly string[],
    everything: (plan: Plan, steps: () => Promise<void>) => Promise<readonly TxPlace[]>,
  ): Promise<Result<readonly TxPlace[], SearchError>> {
    const coverage = readCoverage(this.#kv);
    const low = Math.max(this.#reads.base(), coverage?.from ?? 1, 1);
    const high = Math.min(this.#reads.head(), coverage?.to ?? 0);
    // Someone may paste a subscription's query. Its `tm.event` condition is implied here by the kind of search.
    const isKind = ({ tag, op, argument }: Condition): boolean =>
      tag === EVENT_KEY && op === '=' && kinds.includes(argument?.text ?? '');
    const conditions = query.conditions.filter((condition) => !isKind(condition));
    const plan = planOf(conditions, heightTag, [low, high]);
    try {
      const steps = this.#counter();
      if (plan.low > plan.high) return ok([]);
      if (plan.terms.length === 0) return ok(await this.#gate.run(() => everything(plan, steps)));
      return ok(await this.#gate.run(async () => distinct(await this.#matching(kind, plan, steps))));
    } catch (failure) {
      if (!(failure instanceof TooMuch)) throw failure;
      const message = `the query looks at more than ${this.#stepsMax} events; add a condition on ${heightTag}`;
      return err({ code: 'too-much', message });
    }
  }

  #counter(): () => Promise<void> {
    let steps = 0;
    return async () => {
      if (++steps > this.#stepsMax) throw new TooMuch();
      if (steps % STEPS_PER_PAUSE === 0) await this.#pause();
    };
  }

  /** The events that satisfy every term, in order. */
  async #matching(kind: PostingKind, plan: Plan, steps: () => Promise<void>): Promise<readonly EventPlace[]> {
    const driver = await this.#driver(kind, plan, steps);
    const others = plan.terms.filter((term) => term !== driver.term);
    const equals = others.filter((term) => term.kind === 'equal');
    const tests = others.filter((term) => term.kind === 'test');
    let held: { readonly height: Height; readonly slots: readonly ReadonlySet<string>[] } | undefined;
    const found: EventPlace[] = [];
    let results: { readonly height: Height; readonly reply: FinalizeReply | undefined } | undefined;
    for (const place of driver.places) {
      if (!plan.heightTests.every((test) => test(String(place.height)))) continue;
      if (equals.length > 0) {
        if (held?.height !== place.height) {
          await steps();
          const at = ({ tag, value }: (typeof equals)[number]): ReadonlySet<string> =>
            new Set(placesAt(this.#kv, kind, tag, value, place.height).map(slotOf));
          held = { height: place.height, slots: equals.map(at) };
        }
        if (!held.slots.every((slots) => slots.has(slotOf(place)))) continue;
      }
      if (tests.length > 0) {
        await steps();
        if (results?.height !== place.height)
          results = { height: place.height, reply: this.#reads.results(place.height) };
        const event = eventAt(results.reply, kind, place);
        if (!tests.every(({ tag, test }) => indexedValues(event, tag).some(test))) continue;
      }
      found.push(place);
    }
    return found;
  }

  /**
   * The term with the fewest entries, as far as that is cheap to find out: all equalities are read in parallel until
   * one of them ends. Without an equality, every value of the first tag is looked at.
   */
  async #driver(
    kind: PostingKind,
    plan: Plan,
    steps: () => Promise<void>,
  ): Promise<{ readonly term: Term; readonly places: readonly EventPlace[] }> {
    const equals = plan.terms.filter((term) => term.kind === 'equal');
    const cursors: { term: Term; cursor: Cursor }[] = equals.map((term) => ({
      term,
      cursor: scanValue({ kv: this.#kv, sizes: this.#sizes }, kind, term.tag, term.value, plan),
    }));
    while (cursors.length > 0) {
      for (const { term, cursor } of cursors) {
        await steps();
        if (await cursor.advance()) return { term, places: cursor.places };
        if (cursor.looked > this.#stepsMax) throw new TooMuch();
      }
    }
    const term = plan.terms[0] as Extract<Term, { kind: 'test' }>;
    const cursor = scanTag({ kv: this.#kv, sizes: this.#sizes }, kind, term.tag, term.test, plan);
    while (!(await cursor.advance())) {
      await steps();
      if (cursor.looked > this.#stepsMax) throw new TooMuch();
    }
    return { term, places: [...cursor.places].sort(comparePlaces) };
  }
}

const slotOf = ({ tx, event }: EventPlace): string => `${tx}/${event}`;
const comparePlaces = (a: EventPlace, b: EventPlace): number =>
  a.height - b.height || a.tx - b.tx || a.event - b.event;

function eventAt(
  reply: FinalizeReply | undefined,
  kind: PostingKind,
  { tx, event }: EventPlace,
): AbciEvent | undefined {
  return (kind === 'W' ? reply?.events : reply?.txResults[tx]?.events)?.[event];
}

function indexedValues(event: AbciEvent | undefined, tag: string): readonly string[] {
  if (event === undefined || event.type === '') return [];
  return event.attributes.flatMap(({ key, value, index }) =>
    index && key !== '' && `${event.type}.${key}` === tag ? [value] : [],
  );
}

function distinct(places: readonly EventPlace[]): readonly TxPlace[] {
  const found: TxPlace[] = [];
  for (const { height, tx } of places) {
    const last = found.at(-1);
    if (last?.height !== height || last.index !== tx) found.push({ height, index: tx });
  }
  return found;
}
