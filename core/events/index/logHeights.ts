import { type Sizes, USUAL_SIZES } from '../../lib/sizes.ts';
import { postingKey } from '../../store/keys.ts';
import type { KvStore } from '../../store/kv.ts';
import type { Height } from '../../types/ids.ts';
import type { Coverage } from './indexer.ts';
import type { LogItem } from './logPosting.ts';
import { heightOf } from './posting.ts';

/** Entries read at a time: few at first, because most searches then leap far ahead. */
const ROWS_MIN = 16;
const ROWS_MAX = 1024;

/** The heights that have one item, in ascending order. */
class ItemHeights {
  readonly #kv: KvStore;
  readonly #item: LogItem;
  readonly #rowsMin: number;
  #rows = 0;
  #heights: readonly Height[] = [];
  #at = 0;
  /** `heights` is complete from #first to #last. */
  #first: Height = 0;
  #last: Height = -1;

  constructor(kv: KvStore, item: LogItem, sizes: Sizes) {
    this.#kv = kv;
    this.#item = item;
    this.#rowsMin = sizes.atOnce(ROWS_MIN);
  }

  /** Lowest such height of from..to. `from` must not decrease from call to call. */
  async next(from: Height, to: Height): Promise<Height | undefined> {
    for (;;) {
      if (from >= this.#first && from <= this.#last) {
        while (this.#at < this.#heights.length && (this.#heights[this.#at] as Height) < from) this.#at++;
        const found = this.#heights[this.#at];
        if (found !== undefined) return found <= to ? found : undefined;
        if (this.#last >= to) return undefined;
      }
      await this.#read(from, to);
    }
  }

  async #read(from: Height, to: Height): Promise<void> {
    const isNext = this.#first <= from && from <= this.#last + 1;
    const start = isNext ? this.#last + 1 : from;
    this.#rows = isNext ? Math.min(ROWS_MAX, this.#rows * 4) : this.#rowsMin;
    const gte = postingKey('L', this.#item, start);
    const lt = postingKey('L', this.#item, to + 1);
    const rows = await this.#kv.range({ gte, lt, limitMax: this.#rows });
    this.#heights = rows.map(([key]) => heightOf(key));
    this.#at = 0;
    this.#first = from;
    this.#last = rows.length < this.#rows ? to : (this.#heights.at(-1) as Height);
  }
}

/**
 * The heights at which every group has one of its items, and which may so have a wanted log. The search leaps from the
 * next height of one group to that of another, so the rarest group determines how much is read.
 */
export class LogHeights {
  readonly #groups: readonly (readonly ItemHeights[])[];
  readonly #coverage: Coverage | undefined;

  /** Needs at least one group. Heights outside the index may have any log. */
  constructor(
    kv: KvStore,
    coverage: Coverage | undefined,
    groups: readonly (readonly LogItem[])[],
    sizes: Sizes = USUAL_SIZES,
  ) {
    this.#coverage = coverage;
    this.#groups = groups.map((items) => items.map((item) => new ItemHeights(kv, item, sizes)));
  }

  /** Lowest such height of from..to. `from` must not decrease from call to call, and `to` must stay the same. */
  async next(from: Height, to: Height): Promise<Height | undefined> {
    if (from > to) return undefined;
    const coverage = this.#coverage;
    if (coverage === undefined || from < coverage.from || from > coverage.to) return from;
    const found = await this.#nextCovered(from, Math.min(to, coverage.to));
    return found ?? (coverage.to < to ? coverage.to + 1 : undefined);
  }

  async #nextCovered(from: Height, to: Height): Promise<Height | undefined> {
    let height = from;
    for (let met = 0, at = 0; met < this.#groups.length; at = (at + 1) % this.#groups.length) {
      const next = await lowest(this.#groups[at] ?? [], height, to);
      if (next === undefined) return undefined;
      met = next === height ? met + 1 : 1;
      height = next;
    }
    return height;
  }
}

async function lowest(items: readonly ItemHeights[], from: Height, to: Height): Promise<Height | undefined> {
  let found: Height | undefined;
  for (const item of items) {
    const next = await item.next(from, to);
    if (next !== undefined && (found === undefined || next < found)) found = next;
    if (found === from) break;
  }
  return found;
}
