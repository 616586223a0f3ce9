import type { Bytes } from '../../core/lib/bytes.ts';

/** Prepared keys by raw key; the least recently used one is dropped beyond `keysMax`. */
export class KeyCache<T> {
  readonly #keys = new Map<string, T>();
  readonly #keysMax: number;
  readonly #make: (raw: Bytes) => T;

  constructor(keysMax: number, make: (raw: Bytes) => T) {
    this.#keysMax = keysMax;
    this.#make = make;
  }

  get size(): number {
    return this.#keys.size;
  }

  get(raw: Bytes): T {
    const name = Buffer.from(raw.buffer, raw.byteOffset, raw.length).toString('latin1');
    const key = this.#keys.get(name) ?? this.#make(raw);
    this.#keys.delete(name);
    this.#keys.set(name, key);
    if (this.#keys.size > this.#keysMax) {
      const [oldest] = this.#keys.keys();
      if (oldest !== undefined) this.#keys.delete(oldest);
    }
    return key;
  }
}
