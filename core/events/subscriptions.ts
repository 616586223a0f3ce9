import { present } from '../lib/assert.ts';
import { canonicalText, type EventKeys, type Query } from './query/query.ts';

/** A `tag='value'` condition: an event that lacks it cannot match, so its query need not be looked at. */
interface Anchor {
  readonly tag: string;
  readonly value: string;
}

/** All subscriptions with one query: it is compared once an event, however many they are. */
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
 * Finds the subscriptions that want an event without asking each of them. A query waits under one of its equality
 * conditions; an event looks up its own values. Ten thousand queries with distinct recipients cost an event as much
 * as one. Queries without such a condition are compared with every event.
 */
export class SubscriptionIndex<S> {
  readonly #byText = new Map<string, Entry<S>>();
  readonly #byTag = new Map<string, Map<string, Set<Entry<S>>>>();
  readonly #unanchored = new Set<Entry<S>>();
  #orders = 0;

  /** Different queries, not subscribers. */
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

  /** Every query that matches, in the order in which they were first subscribed to. */
  groupsMatching(keys: EventKeys): readonly QueryGroup<S>[] {
    const matched = this.#candidates(keys).filter(({ query }) => query.matches(keys));
    if (matched.length > 1) matched.sort((a, b) => a.order - b.order);
    return matched;
  }

  /** Subscribers of every query that matches, in that order. */
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

  /** The condition that the fewest other queries wait under; `tm.event` only when there is no other. */
  #anchorOf(query: Query): Anchor | undefined {
    let best: Anchor | undefined;
    let fewest = Number.POSITIVE_INFINITY;
    for (const { tag, op, argument } of query.conditions) {
      // A tag that names a bare event type is matched against '', which is under no key.
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
