/** What values weigh, e.g. in bytes, and how much all together may. */
export interface Weights<V> {
  readonly max: number;
  readonly of: (value: V) => number;
}

/**
 * A bounded memo that forgets what was not asked for lately: when the young half is full the old half is dropped.
 * Cheaper than a list in order of use, and it forgets the same on every machine. For values that follow from their key only:
 * losing one costs time, never truth.
 */
export class Recent<V, K = string> {
  readonly #halfMax: number;
  readonly #weights: Weights<V> | undefined;
  #young = new Map<K, V>();
  #old = new Map<K, V>();
  /** Of the young half. */
  #weight = 0;

  /** Keeps at most `entriesMax` values, and at least the last half as many that were used; of weights the same. */
  constructor(entriesMax: number, weights?: Weights<V>) {
    this.#halfMax = entriesMax >>> 1;
    this.#weights = weights;
  }

  get(key: K): V | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: K, value: V): void {
    if (this.#young.size >= this.#halfMax || !this.#hasRoom(value)) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#weight = 0;
    }
    this.#young.set(key, value);
    if (this.#weights !== undefined) this.#weight += this.#weights.of(value);
  }

  #hasRoom(value: V): boolean {
    const weights = this.#weights;
    return weights === undefined || this.#weight + weights.of(value) <= weights.max / 2;
  }
}
