import { assert } from './assert.ts';
import { type Bytes, equalBytes } from './bytes.ts';

/** Remembers results for the last few byte strings. Each is compared in full, so keep `max` small. */
export class RecentBytes<V> {
  readonly #max: number;
  readonly #entries: { readonly bytes: Bytes; readonly value: V }[] = [];

  constructor(max: number) {
    assert(max > 0, 'size of the memo');
    this.#max = max;
  }

  find(bytes: Bytes): V | undefined {
    for (const entry of this.#entries) if (equalBytes(entry.bytes, bytes)) return entry.value;
    return undefined;
  }

  /** Keeps a copy. */
  add(bytes: Bytes, value: V): void {
    this.#entries.unshift({ bytes: bytes.slice(), value });
    if (this.#entries.length > this.#max) this.#entries.pop();
  }
}
