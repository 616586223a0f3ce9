import { type Bytes, compareBytes } from '../../core/lib/bytes.ts';
import { aligned } from '../../core/lib/room.ts';

const PAGE_BYTES = 65_536;
/** A larger entry has a page of its own. */
const SHARED_BYTES_MAX = PAGE_BYTES / 16;

/**
 * One key with its value. Most values are never read again, so they lie in a page with others. Only a value that is
 * read gets an array of its own.
 */
export class Entry {
  isGone = false;
  /** Another entry with the same hash. */
  next: Entry | undefined;
  readonly #page: Bytes;
  readonly #at: number;
  readonly #keyLength: number;
  readonly #valueLength: number;
  #value: Bytes | undefined;

  /** The value begins at the next aligned offset behind the key. */
  constructor(page: Bytes, at: number, keyLength: number, valueLength: number, next: Entry | undefined) {
    this.#page = page;
    this.#at = at;
    this.#keyLength = keyLength;
    this.#valueLength = valueLength;
    this.next = next;
  }

  get key(): Bytes {
    return this.#window(this.#at, this.#keyLength);
  }

  get firstByte(): number {
    return this.#keyLength === 0 ? 0 : (this.#page[this.#at] as number);
  }

  get value(): Bytes {
    this.#value ??= this.#window(aligned(this.#at + this.#keyLength), this.#valueLength);
    return this.#value;
  }

  /** Keeps the array itself, not a copy. */
  set value(value: Bytes) {
    this.#value = value;
  }

  hasKey(key: Bytes): boolean {
    const length = this.#keyLength;
    if (key.length !== length) return false;
    const [page, at] = [this.#page, this.#at];
    for (let i = 0; i < length; i++) if (page[at + i] !== key[i]) return false;
    return true;
  }

  /** The same result as `compareBytes` of the two keys. */
  compareKey(key: Bytes): number {
    const [page, at, length] = [this.#page, this.#at, this.#keyLength];
    const shared = Math.min(length, key.length);
    for (let i = 0; i < shared; i++) {
      const difference = (page[at + i] as number) - (key[i] as number);
      if (difference !== 0) return difference;
    }
    return length - key.length;
  }

  #window(at: number, length: number): Bytes {
    return new Uint8Array(this.#page.buffer, this.#page.byteOffset + at, length);
  }
}

/** The memory of one disk's entries. */
export class Pages {
  #page: Bytes = new Uint8Array(0);
  #taken = 0;

  /** Makes an entry with copies of key and value. */
  entry(key: Bytes, value: Bytes, next: Entry | undefined): Entry {
    const valueAt = aligned(key.length);
    const size = valueAt + value.length;
    if (size > SHARED_BYTES_MAX) return filled(new Uint8Array(size), 0, key, value, next);
    if (this.#taken + size > this.#page.length) {
      this.#page = new Uint8Array(PAGE_BYTES);
      this.#taken = 0;
    }
    const at = this.#taken;
    this.#taken = aligned(at + size);
    return filled(this.#page, at, key, value, next);
  }
}

function filled(page: Bytes, at: number, key: Bytes, value: Bytes, next: Entry | undefined): Entry {
  page.set(key, at);
  page.set(value, at + aligned(key.length));
  return new Entry(page, at, key.length, value.length, next);
}

export const compareEntries = (a: Entry, b: Entry): number => compareBytes(a.key, b.key);
