import { assert, present } from '../lib/assert.ts';

interface Entry<V> {
  readonly key: string;
  readonly value: V;
  readonly weight: number;
  /** Neighbours in the ring of all entries: what was used next before it, and next after it. */
  older: Entry<V>;
  newer: Entry<V>;
}

/**
 * A bounded map that forgets what was used longest ago. For values that follow from their key only: losing one costs
 * time, never truth.
 */
export class LruCache<V> {
  readonly #entries = new Map<string, Entry<V>>();
  readonly #entriesMax: number;
  readonly #weightMax: number;
  #newest: Entry<V> | undefined;
  #weight = 0;

  /** `weightMax` bounds the sum of the weights given to `set`, e.g. bytes. */
  constructor(entriesMax: number, weightMax = Number.MAX_SAFE_INTEGER) {
    assert(entriesMax > 0, 'cache without room');
    this.#entriesMax = entriesMax;
    this.#weightMax = weightMax;
  }

  get(key: string): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (entry !== this.#newest) {
      this.#leave(entry);
      this.#enter(entry);
    }
    return entry.value;
  }

  set(key: string, value: V, weight = 1): void {
    this.delete(key);
    const entry = { key, value, weight } as Entry<V>;
    this.#entries.set(key, entry);
    this.#enter(entry);
    this.#weight += weight;
    while (this.#entries.size > this.#entriesMax || this.#weight > this.#weightMax)
      this.delete(this.#oldest().key);
  }

  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#leave(entry);
    this.#weight -= entry.weight;
  }

  get size(): number {
    return this.#entries.size;
  }

  #oldest(): Entry<V> {
    return present(this.#newest, 'an entry').newer;
  }

  /** Into the ring, as the newest. */
  #enter(entry: Entry<V>): void {
    const newest = this.#newest ?? entry;
    const oldest = this.#newest?.newer ?? entry;
    entry.older = newest;
    entry.newer = oldest;
    newest.newer = entry;
    oldest.older = entry;
    this.#newest = entry;
  }

  #leave(entry: Entry<V>): void {
    entry.older.newer = entry.newer;
    entry.newer.older = entry.older;
    if (this.#newest === entry) this.#newest = entry.older === entry ? undefined : entry.older;
  }
}
