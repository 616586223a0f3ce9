import { assert } from '../lib/assert.ts';
import type { Height } from '../types/ids.ts';

/** Cached values of decided heights, one slot per height modulo the size. Nearly all reads are near the head. */
export class RecentHeights<T> {
  readonly #slots: ({ readonly height: Height; readonly value: T } | undefined)[];

  constructor(heightsMax: number) {
    assert(heightsMax > 0, 'size of the cache');
    this.#slots = new Array(heightsMax).fill(undefined);
  }

  /** The cached value for `height`, or the result of `load`. undefined is not cached. */
  at(height: Height, load: () => T | undefined): T | undefined {
    const index = height % this.#slots.length;
    const slot = this.#slots[index];
    if (slot?.height === height) return slot.value;
    const value = load();
    if (value !== undefined) this.#slots[index] = { height, value };
    return value;
  }
}
