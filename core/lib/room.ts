import type { Bytes } from './bytes.ts';

/** Up to this length an array lies in the engine's own heap. A longer one needs a buffer, at ten times the cost. */
export const INLINE_BYTES_MAX = 64;
/** Size of a buffer shared by many arrays. Whoever keeps one of the arrays keeps the whole buffer. */
export const SHARED_BYTES = 16_384;
/** A longer array gets its own buffer. */
const ROOM_BYTES_MAX = SHARED_BYTES / 8;

/** The first multiple of four at or after `at`. */
export const aligned = (at: number): number => (at + 3) & ~3;

/** Allocates zeroed arrays, as windows of a shared buffer where that is cheaper. For arrays with similar lifetimes. */
export class Rooms {
  #shared = new ArrayBuffer(0);
  #taken = 0;

  take(size: number): Bytes {
    if (size <= INLINE_BYTES_MAX || size > ROOM_BYTES_MAX) return new Uint8Array(size);
    if (size > this.#shared.byteLength - this.#taken) {
      this.#shared = new ArrayBuffer(SHARED_BYTES);
      this.#taken = 0;
    }
    const window = new Uint8Array(this.#shared, this.#taken, size);
    this.#taken += aligned(size);
    return window;
  }

  copy(bytes: Bytes): Bytes {
    const out = this.take(bytes.length);
    out.set(bytes);
    return out;
  }
}

const passing = new Rooms();

/** For bytes that are soon discarded. */
export const room = (size: number): Bytes => passing.take(size);
