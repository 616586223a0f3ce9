/** The last `max` tx keys seen, oldest forgotten first (CometBFT's mempool cache). */
export class SeenCache {
  readonly #keys = new Set<string>();
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  /** False if the key was already there. The key then counts as the newest. */
  add(key: string): boolean {
    const fresh = !this.#keys.delete(key);
    this.#keys.add(key);
    if (this.#keys.size > this.#max) this.#keys.delete(this.#keys.keys().next().value as string);
    return fresh;
  }

  remove(key: string): void {
    this.#keys.delete(key);
  }

  clear(): void {
    this.#keys.clear();
  }

  has(key: string): boolean {
    return this.#keys.has(key);
  }
}
