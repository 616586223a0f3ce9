import { assert } from './assert.ts';

/** Longer sets use a typed array, because long plain arrays are slow. */
const PLAIN_WORDS_MAX = 64;

/** Fixed-size set of small integers, for the votes or parts that somebody has. */
export class BitSet {
  readonly size: number;
  /** Signed 32-bit words. Mostly a plain array: small sets are many, and a typed array costs several times as much. */
  readonly #words: number[] | Int32Array;

  constructor(size: number) {
    assert(Number.isSafeInteger(size) && size >= 0, 'bitset size');
    this.size = size;
    const count = (size + 31) >>> 5;
    this.#words = count > PLAIN_WORDS_MAX ? new Int32Array(count) : new Array<number>(count).fill(0);
  }

  /** Bit i of `words` is bit (i % 32) of words[i / 32]; bits past `size` are cleared. */
  static fromWords(size: number, words: ArrayLike<number>): BitSet {
    const set = new BitSet(size);
    for (let i = 0; i < set.#words.length; i++) set.#words[i] = (words[i] ?? 0) | 0;
    const used = size & 31;
    if (used !== 0) {
      const last = set.#words.length - 1;
      set.#words[last] = (set.#words[last] as number) & (2 ** used - 1);
    }
    return set;
  }

  words(): Uint32Array {
    return Uint32Array.from(this.#words);
  }

  has(index: number): boolean {
    return index < this.size && (((this.#words[index >>> 5] as number) >>> (index & 31)) & 1) === 1;
  }

  /** False if it was already there. */
  add(index: number): boolean {
    assert(index >= 0 && index < this.size, 'bit index out of range');
    if (this.has(index)) return false;
    this.#words[index >>> 5] = (this.#words[index >>> 5] as number) | (1 << (index & 31));
    return true;
  }

  remove(index: number): void {
    assert(index >= 0 && index < this.size, 'bit index out of range');
    this.#words[index >>> 5] = (this.#words[index >>> 5] as number) & ~(1 << (index & 31));
  }

  count(): number {
    let total = 0;
    for (const word of this.#words) {
      let rest = (word - ((word >>> 1) & 0x55555555)) | 0;
      rest = (rest & 0x33333333) + ((rest >>> 2) & 0x33333333);
      total += (((rest + (rest >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
    }
    return total;
  }

  isEmpty(): boolean {
    return this.#words.every((word) => word === 0);
  }

  isFull(): boolean {
    return this.count() === this.size;
  }

  clone(): BitSet {
    return BitSet.fromWords(this.size, this.#words);
  }

  /** Members of this set that are not in `other`, ascending; `other` may be of another size. */
  *minus(other: BitSet | undefined): IterableIterator<number> {
    const others = other === undefined ? [] : other.#words;
    for (let word = 0; word < this.#words.length; word++) {
      let rest = (this.#words[word] as number) & ~(others[word] ?? 0);
      for (; rest !== 0; rest &= rest - 1) yield word * 32 + 31 - Math.clz32(rest & -rest);
    }
  }

  /** `x` for a member, `_` for a gap, as CometBFT prints bit arrays. */
  toString(): string {
    let text = '';
    for (let i = 0; i < this.size; i++) text += this.has(i) ? 'x' : '_';
    return text;
  }
}
