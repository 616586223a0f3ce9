import { assert } from '../lib/assert.ts';
import { type Bytes, equalBytes } from '../lib/bytes.ts';
import { ok, type Result } from '../lib/result.ts';
import type { Height } from '../types/ids.ts';

interface Slot<T> {
  readonly height: Height;
  readonly payload: Bytes;
  readonly value: T;
}

/** What the payloads of decided heights were decoded to, one slot a height modulo the size. Asked with what was read just now. */
export class RecentPayloads<T> {
  readonly #slots: (Slot<T> | undefined)[];

  constructor(heightsMax: number) {
    assert(heightsMax > 0, 'size of the cache');
    this.#slots = new Array(heightsMax).fill(undefined);
  }

  at<E>(height: Height, payload: Bytes, decode: (payload: Bytes) => Result<T, E>): Result<T, E> {
    const index = height % this.#slots.length;
    const slot = this.#slots[index];
    if (slot?.height === height && equalBytes(slot.payload, payload)) return ok(slot.value);
    const decoded = decode(payload);
    if (decoded.ok) this.#slots[index] = { height, payload, value: decoded.value };
    return decoded;
  }
}
