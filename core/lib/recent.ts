/** The weight of values, e.g. in bytes, and the most that all may weigh together. */
export interface Weights<V> {
  readonly max: number;
  readonly of: (value: V) => number;
}

/**
 * A bounded memo that forgets values not asked for lately: when the young half is full, the old half is dropped. This
 * is cheaper than a list in order of use, and it forgets the same values on every machine. Use it only for values that
 * follow from their key, so that losing one costs only time.
 */
export class Recent<V, K = string> {
  readonly #halfMax: number;
  readonly #weights: Weights<V> | undefined;
  #young = new Map<K, V>();
  #old = new Map<K, V>();
  /** Weight of the young half. */
  #weight = 0;

  /** Keeps at most `entriesMax` values, and at least the `entriesMax / 2` used last. The same holds for weights. */
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
