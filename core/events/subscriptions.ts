import { present } from '../lib/assert.ts';
import { canonicalText, type EventKeys, type Query } from './query/query.ts';

/** A `tag='value'` condition. An event without it cannot match, so the query need not be evaluated. */
interface Anchor {
  readonly tag: string;
  readonly value: string;
}

/** All subscriptions with one query. It is evaluated once per event, however many there are. */
export interface QueryGroup<S> {
  readonly query: Query;
  readonly subscribers: ReadonlySet<S>;
}

interface Entry<S> extends QueryGroup<S> {
  readonly order: number;
  readonly anchor: Anchor | undefined;
  readonly subscribers: Set<S>;
}

/**
 * Finds the subscriptions that match an event without evaluating each of them. A query is filed under one of its
 * equality conditions, and an event looks up its own values. So ten thousand queries with different recipients cost an
 * event no more than one. Queries without such a condition are evaluated for every event.
 */
export class SubscriptionIndex<S> {
  readonly #byText = new Map<string, Entry<S>>();
  readonly #byTag = new Map<string, Map<string, Set<Entry<S>>>>();
  readonly #unanchored = new Set<Entry<S>>();
  #orders = 0;

  /** Number of different queries, not of subscribers. */
  get queryCount(): number {
    return this.#byText.size;
  }

  add(query: Query, subscriber: S): void {
    const known = this.#byText.get(query.text);
    if (known !== undefined) {
      known.subscribers.add(subscriber);
      return;
    }
    const anchor = this.#anchorOf(query);
    const entry: Entry<S> = { query, order: this.#orders++, anchor, subscribers: new Set([subscriber]) };
    this.#byText.set(query.text, entry);
    this.#bucketOf(anchor).add(entry);
  }

  remove(query: Query, subscriber: S): void {
    const entry = this.#byText.get(query.text);
    if (entry === undefined) return;
    entry.subscribers.delete(subscriber);
    if (entry.subscribers.size > 0) return;
    this.#byText.delete(query.text);
    this.#bucketOf(entry.anchor).delete(entry);
    if (entry.anchor !== undefined) this.#dropIfEmpty(entry.anchor);
  }

  /** All queries that match, in the order in which they were first subscribed to. */
  groupsMatching(keys: EventKeys): readonly QueryGroup<S>[] {
    const matched = this.#candidates(keys).filter(({ query }) => query.matches(keys));
    if (matched.length > 1) matched.sort((a, b) => a.order - b.order);
    return matched;
  }

  /** The subscribers of all matching queries, in the same order. */
  matching(keys: EventKeys): readonly S[] {
    return this.groupsMatching(keys).flatMap(({ subscribers }) => [...subscribers]);
  }

  #candidates(keys: EventKeys): Entry<S>[] {
    const found = new Set(this.#unanchored);
    for (const [tag, values] of keys) {
      const byValue = this.#byTag.get(tag);
      if (byValue === undefined) continue;
      for (const value of values) {
        const entries = byValue.get(canonicalText(value));
        if (entries !== undefined) for (const entry of entries) found.add(entry);
      }
    }
    return [...found];
  }

  /** The equality condition under which the fewest queries are filed; `tm.event` only if there is no other. */
  #anchorOf(query: Query): Anchor | undefined {
    let best: Anchor | undefined;
    let fewest = Number.POSITIVE_INFINITY;
    for (const { tag, op, argument } of query.conditions) {
      // A tag that is a bare event type is matched against '' and not by a key, so it cannot be looked up.
      if (op !== '=' || argument?.kind !== 'string' || argument.text === '' || !tag.includes('.')) continue;
      const anchor = { tag, value: canonicalText(argument.text) };
      const waiting = this.#byTag.get(tag)?.get(anchor.value)?.size ?? 0;
      const weight = tag === 'tm.event' ? Number.MAX_SAFE_INTEGER : waiting;
      if (weight < fewest) [best, fewest] = [anchor, weight];
    }
    return best;
  }

  #bucketOf(anchor: Anchor | undefined): Set<Entry<S>> {
    if (anchor === undefined) return this.#unanchored;
    let byValue = this.#byTag.get(anchor.tag);
    if (byValue === undefined) {
      byValue = new Map();
      this.#byTag.set(anchor.tag, byValue);
    }
    let bucket = byValue.get(anchor.value);
    if (bucket === undefined) {
      bucket = new Set();
      byValue.set(anchor.value, bucket);
    }
    return bucket;
  }

  #dropIfEmpty({ tag, value }: Anchor): void {
    const byValue = present(this.#byTag.get(tag), 'values of an anchor');
    if (byValue.get(value)?.size === 0) byValue.delete(value);
    if (byValue.size === 0) this.#byTag.delete(tag);
  }
}
