import type { Height } from '../../types/ids.ts';
import { EVENT_KEY, TX_HASH_KEY, TX_HEIGHT_KEY } from '../eventModel.ts';
import type { Query } from '../query/query.ts';
import type { EventSearch } from './search.ts';

interface Anchor {
  readonly tag: string;
  readonly value: string;
}

/** Keys that the chain answers, not the index. */
const RESERVED: readonly string[] = [EVENT_KEY, TX_HASH_KEY, TX_HEIGHT_KEY];

/**
 * An attribute that every event matching the query has, so that heights without it need not be read. Only text
 * conditions qualify: a number also equals values that merely begin with it. All our attributes are indexed, so no
 * event is missed.
 */
export function anchorOf(query: Query): Anchor | undefined {
  for (const { tag, op, argument } of query.conditions) {
    if (op !== '=' || argument?.kind !== 'string' || argument.text === '') continue;
    if (tag.includes('.') && !RESERVED.includes(tag)) return { tag, value: argument.text };
  }
  return undefined;
}

/** Walks the past of a subscription upwards, to each height that may have a matching event. */
export class History {
  readonly #anchor: Anchor | undefined;
  readonly #search: EventSearch | undefined;

  /** Without an anchor or an index, every height may have one. */
  constructor(anchor: Anchor | undefined, search: EventSearch | undefined) {
    this.#anchor = anchor;
    this.#search = search;
  }

  /** Lowest height of from..to that may have a matching event; undefined if there is none. */
  async next(from: Height, to: Height): Promise<Height | undefined> {
    if (this.#anchor === undefined || this.#search === undefined) return from;
    return this.#search.nextHeightWith(this.#anchor.tag, this.#anchor.value, from, to);
  }
}
