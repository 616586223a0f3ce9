import { type Bytes, compareBytes } from '../lib/bytes.ts';
import type { KvOp, KvRange, KvStore } from './kv.ts';

/** One byte a character: cheaper than hex. */
const nameOf = (key: Bytes): string => String.fromCharCode.apply(null, key as unknown as number[]);

/**
 * A KvStore in memory: for what is simulated and never kept, for tests, and the base of the simulator's disk. Reads take a map; keys are sorted only when
 * a range asks after a change. Keys and values are kept as they are given: nobody writes into bytes that he handed on.
 */
export class MemoryKv implements KvStore {
  readonly #values: Map<string, readonly [Bytes, Bytes]>;
  #sorted: (readonly [Bytes, Bytes])[] | undefined;

  /** `from` is copied (its entries are shared: nobody writes into them). */
  constructor(from?: MemoryKv) {
    this.#values = new Map(from === undefined ? [] : from.#values);
  }

  get size(): number {
    return this.#values.size;
  }

  get(key: Bytes): Bytes | undefined {
    return this.#values.get(nameOf(key))?.[1];
  }

  async batch(ops: readonly KvOp[]): Promise<void> {
    this.apply(ops);
  }

  /** The batch without a promise. */
  apply(ops: readonly KvOp[]): void {
    for (const op of ops) {
      const name = nameOf(op.key);
      if (op.type === 'del') this.#values.delete(name);
      else this.#values.set(name, [op.key, op.value]);
    }
    this.#sorted = undefined;
  }

  async range(range: KvRange): Promise<readonly (readonly [Bytes, Bytes])[]> {
    this.#sorted ??= [...this.#values.values()].sort((a, b) => compareBytes(a[0], b[0]));
    const inside = this.#sorted.filter(
      ([key]) => compareBytes(key, range.gte) >= 0 && compareBytes(key, range.lt) < 0,
    );
    return (range.reverse === true ? inside.reverse() : inside).slice(0, range.limitMax);
  }
}
