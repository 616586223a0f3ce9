import { assert } from '../lib/assert.ts';
import type { Height } from '../types/ids.ts';

/** Values of decided heights, one slot a height modulo the size: what is asked for is nearly always near the head. */
export class RecentHeights<T> {
  readonly #slots: ({ readonly height: Height; readonly value: T } | undefined)[];

  constructor(heightsMax: number) {
    assert(heightsMax > 0, 'size of the cache');
    this.#slots = new Array(heightsMax).fill(undefined);
  }

  /** The value remembered for `height`, or what `load` finds. An absent value is asked for again. */
  at(height: Height, load: () => T | undefined): T | undefined {
    const index = height % this.#slots.length;
    const slot = this.#slots[index];
    if (slot?.height === height) return slot.value;
    const value = load();
    if (value !== undefined) this.#slots[index] = { height, value };
    return value;
  }
}
