/**
 * A bounded memo that forgets what was not asked for lately: when the young half is full the old half is dropped.
 * Cheaper than a list in order of use, and it forgets the same on every machine.
 */
export class Recent<V, K = string> {
  readonly #halfMax: number;
  #young = new Map<K, V>();
  #old = new Map<K, V>();

  /** Keeps at most `entriesMax` values, and at least the last half as many that were used. */
  constructor(entriesMax: number) {
    this.#halfMax = entriesMax >>> 1;
  }

  get(key: K): V | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: K, value: V): void {
    if (this.#young.size >= this.#halfMax) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
  }
}
