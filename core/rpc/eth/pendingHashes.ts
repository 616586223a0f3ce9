import type { Hash } from '../../types/ids.ts';

/** A filter for which more than this many hashes wait is dropped: `filter not found` beats a silent gap. */
const WAITING_MAX = 32_768;

/**
 * The newest pending transactions, kept once for all filters that collect them: each has a place of its own to go on from.
 * Keeps at least as many as may wait, and at most twice as many.
 */
export class PendingHashes {
  #hashes: readonly Hash[] = [];
  #fresh: Hash[] = [];
  /** How many there were before these. */
  #gone = 0;

  /** The place behind the newest one. */
  get end(): number {
    return this.#gone + this.#hashes.length + this.#fresh.length;
  }

  push(hash: Hash): void {
    this.#fresh.push(hash);
    if (this.#fresh.length < WAITING_MAX) return;
    this.#gone += this.#hashes.length;
    [this.#hashes, this.#fresh] = [this.#fresh, []];
  }

  /** Whether no more wait from that place on than may: then all of them are here. */
  has(place: number): boolean {
    return this.end - place <= WAITING_MAX;
  }

  /** All from that place on. */
  from(place: number): readonly Hash[] {
    const start = place - this.#gone;
    const older = this.#hashes.length;
    if (start >= older) return this.#fresh.slice(start - older);
    return [...this.#hashes.slice(start), ...this.#fresh];
  }
}
