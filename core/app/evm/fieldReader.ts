import { type Bytes, EMPTY } from '../../lib/bytes.ts';
import type { Address } from '../../types/ids.ts';
import { bytesToBigint } from './numbers.ts';
import type { RlpItem } from './rlp.ts';

/** Reads the fields of a list in order and keeps the first error. */
export class FieldReader {
  readonly #items: readonly RlpItem[];
  readonly #owner: string;
  #next = 0;
  failure: string | undefined;

  constructor(items: readonly RlpItem[], owner: string) {
    this.#items = items;
    this.#owner = owner;
  }

  #fail(problem: string): void {
    this.failure ??= `${problem}, decoding into (${this.#owner}) field ${this.#next - 1}`;
  }

  bytes(): Bytes {
    const item = this.#items[this.#next++];
    if (item instanceof Uint8Array) return item;
    this.#fail('expected input string or byte');
    return EMPTY;
  }

  integer(bytesMax: number): bigint {
    const bytes = this.bytes();
    if (bytes[0] === 0) this.#fail('non-canonical integer (leading zero bytes)');
    if (bytes.length > bytesMax) this.#fail(`input string too long for uint${8 * bytesMax}`);
    return bytesToBigint(bytes);
  }

  /** Reads exactly `size` bytes. `type` is the Go type that the error names. */
  fixed(size: number, type: string): Bytes {
    const bytes = this.bytes();
    if (bytes.length !== size) {
      this.#fail(`input string too ${bytes.length < size ? 'short' : 'long'} for ${type}`);
    }
    return bytes;
  }

  address(): Address {
    return this.fixed(20, 'common.Address');
  }

  optionalAddress(): Address | undefined {
    const item = this.#items[this.#next];
    if (item instanceof Uint8Array && item.length === 0) {
      this.#next++;
      return undefined;
    }
    return this.address();
  }

  list(): readonly RlpItem[] {
    const item = this.#items[this.#next++];
    if (item !== undefined && !(item instanceof Uint8Array)) return item;
    this.#fail('expected input list');
    return [];
  }

  fail(problem: string): void {
    this.#fail(problem);
  }
}
