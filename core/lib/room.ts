import type { Bytes } from './bytes.ts';

/** Up to this length an array lies in the host's own heap; a longer one costs a buffer, ten times as much. */
export const INLINE_BYTES_MAX = 64;
/** One buffer for many arrays. Who keeps one of them keeps all of it. */
export const SHARED_BYTES = 16_384;
/** A longer array is worth a buffer of its own. */
const ROOM_BYTES_MAX = SHARED_BYTES / 8;

/** Where a word may begin at or after `at`. */
export const aligned = (at: number): number => (at + 3) & ~3;

/** Gives arrays of zeros to be filled: windows of a shared buffer where that is cheaper. For arrays that live about as long as each other. */
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

/** For bytes that soon go their way. */
export const room = (size: number): Bytes => passing.take(size);
