import { type Bytes, compareBytes } from '../lib/bytes.ts';
import type { KvOp, KvRange, KvStore } from './kv.ts';

/** One byte per character, which is cheaper than hex. */
const nameOf = (key: Bytes): string => String.fromCharCode.apply(null, key as unknown as number[]);

/**
 * A KvStore in memory, for simulations that keep nothing, for tests, and as the base of the simulator's disk. A read is
 * a map lookup; keys are sorted only when a range is read after a change. Keys and values are kept without a copy, so
 * callers must not modify them later.
 */
export class MemoryKv implements KvStore {
  readonly #values: Map<string, readonly [Bytes, Bytes]>;
  #sorted: (readonly [Bytes, Bytes])[] | undefined;

  /** Copies `from`. The entries are shared, and nobody modifies them. */
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
