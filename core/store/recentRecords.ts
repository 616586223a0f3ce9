import { assert } from '../lib/assert.ts';
import { type Bytes, equalBytes } from '../lib/bytes.ts';
import type { Height } from '../types/ids.ts';

interface Slot<T> {
  readonly height: Height;
  readonly records: readonly Bytes[];
  readonly value: T;
}

/**
 * Cached decodings of decided heights' records, one slot per height modulo the size. Callers pass the records they have
 * just read: a decoding is reused only for equal records.
 */
export class RecentRecords<T> {
  readonly #slots: (Slot<T> | undefined)[];

  constructor(heightsMax: number) {
    assert(heightsMax > 0, 'size of the cache');
    this.#slots = new Array(heightsMax).fill(undefined);
  }

  /** If `read` throws, nothing is cached. */
  at(height: Height, records: readonly Bytes[], read: () => T): T {
    const index = height % this.#slots.length;
    const slot = this.#slots[index];
    if (slot?.height === height && areEqual(slot.records, records)) return slot.value;
    const value = read();
    this.#slots[index] = { height, records, value };
    return value;
  }
}

const areEqual = (a: readonly Bytes[], b: readonly Bytes[]): boolean =>
  a.length === b.length && a.every((record, i) => equalBytes(record, b[i] as Bytes));
