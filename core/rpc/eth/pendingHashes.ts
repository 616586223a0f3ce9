import type { Hash } from '../../types/ids.ts';

/** A filter with more waiting hashes than this is dropped: `filter not found` is better than a silent gap. */
const WAITING_MAX = 32_768;

/**
 * The newest pending transactions, stored once for all filters that collect them; each filter keeps its own position.
 * Holds at least the newest WAITING_MAX hashes and at most twice as many.
 */
export class PendingHashes {
  #hashes: readonly Hash[] = [];
  #fresh: Hash[] = [];
  /** How many hashes were dropped before these. */
  #gone = 0;

  /** The position after the newest hash. */
  get end(): number {
    return this.#gone + this.#hashes.length + this.#fresh.length;
  }

  push(hash: Hash): void {
    this.#fresh.push(hash);
    if (this.#fresh.length < WAITING_MAX) return;
    this.#gone += this.#hashes.length;
    [this.#hashes, this.#fresh] = [this.#fresh, []];
  }

  /** Whether at most WAITING_MAX hashes follow that position. If so, all of them are stored. */
  has(place: number): boolean {
    return this.end - place <= WAITING_MAX;
  }

  /** All hashes from that position on. */
  from(place: number): readonly Hash[] {
    const start = place - this.#gone;
    const older = this.#hashes.length;
    if (start >= older) return this.#fresh.slice(start - older);
    return [...this.#hashes.slice(start), ...this.#fresh];
  }
}
