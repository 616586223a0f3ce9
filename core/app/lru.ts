import { assert } from '../lib/assert.ts';

interface Entry<V> {
  readonly value: V;
  readonly weight: number;
}

/**
 * A bounded map that forgets what was used longest ago. For values that follow from their key only: losing one costs
 * time, never truth.
 */
export class LruCache<V> {
  readonly #entries = new Map<string, Entry<V>>();
  readonly #entriesMax: number;
  readonly #weightMax: number;
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
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  set(key: string, value: V, weight = 1): void {
    this.delete(key);
    this.#entries.set(key, { value, weight });
    this.#weight += weight;
    while (this.#entries.size > this.#entriesMax || this.#weight > this.#weightMax) {
      const oldest = this.#entries.keys().next();
      if (oldest.done === true) return;
      this.delete(oldest.value);
    }
  }

  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#weight -= entry.weight;
  }

  get size(): number {
    return this.#entries.size;
  }
}
