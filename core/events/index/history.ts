import type { Height } from '../../types/ids.ts';
import { EVENT_KEY, TX_HASH_KEY, TX_HEIGHT_KEY } from '../eventModel.ts';
import type { Query } from '../query/query.ts';
import type { EventSearch } from './search.ts';

interface Anchor {
  readonly tag: string;
  readonly value: string;
}

/** Answered by the chain, not by the index. */
const RESERVED: readonly string[] = [EVENT_KEY, TX_HASH_KEY, TX_HEIGHT_KEY];

/**
 * An attribute that every event matching the query has, so that other heights need not be read. Only text: a number is
 * also equal to values that merely begin with it. All attributes of ours are indexed, so the index misses none.
 */
export function anchorOf(query: Query): Anchor | undefined {
  for (const { tag, op, argument } of query.conditions) {
    if (op !== '=' || argument?.kind !== 'string' || argument.text === '') continue;
    if (tag.includes('.') && !RESERVED.includes(tag)) return { tag, value: argument.text };
  }
  return undefined;
}

/** Walks the past of a subscription upwards: from height to height that may have something for it. */
export class History {
  readonly #anchor: Anchor | undefined;
  readonly #search: EventSearch | undefined;

  /** Without an anchor or an index every height is one. */
  constructor(anchor: Anchor | undefined, search: EventSearch | undefined) {
    this.#anchor = anchor;
    this.#search = search;
  }

  /** Lowest height of from..to that may have something; undefined when none has. */
  async next(from: Height, to: Height): Promise<Height | undefined> {
    if (this.#anchor === undefined || this.#search === undefined) return from;
    return this.#search.nextHeightWith(this.#anchor.tag, this.#anchor.value, from, to);
  }
}
