import type { Bytes } from '../../core/lib/bytes.ts';
import type { KvOp, KvRange, KvStore } from '../../core/store/kv.ts';

/** A disk that answers with an error, as a dying drive or a full volume does. Fatal to the node. */
export class DiskFault extends Error {
  override readonly name = 'DiskFault';
}

/** Latin-1 text of a key: one UTF-16 unit a byte, so text order is byte order. */
const textOf = (key: Bytes): string => String.fromCharCode(...key);

interface Entry {
  readonly key: Bytes;
  readonly value: Bytes;
}

/** The database as it lies on the disk: every batch in it is complete and durable. */
export class KvDisk {
  readonly #entries = new Map<string, Entry>();
  #sorted: string[] | undefined;

  get(key: Bytes): Bytes | undefined {
    return this.#entries.get(textOf(key))?.value;
  }

  apply(ops: readonly KvOp[]): void {
    for (const op of ops) {
      const text = textOf(op.key);
      if (op.type === 'del') {
        if (this.#entries.delete(text)) this.#sorted = undefined;
        continue;
      }
      if (!this.#entries.has(text)) this.#sorted = undefined;
      this.#entries.set(text, { key: op.key.slice(), value: op.value.slice() });
    }
  }

  range(range: KvRange): readonly (readonly [Bytes, Bytes])[] {
    const keys = this.#keys();
    const low = lowerBound(keys, textOf(range.gte));
    const high = lowerBound(keys, textOf(range.lt));
    const count = Math.min(Math.max(0, high - low), range.limitMax);
    const out: (readonly [Bytes, Bytes])[] = [];
    for (let i = 0; i < count; i++) {
      const entry = this.#entries.get(
        keys[range.reverse === true ? high - 1 - i : low + i] as string,
      ) as Entry;
      out.push([entry.key, entry.value]);
    }
    return out;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Every entry in key order. */
  *entries(): IterableIterator<readonly [Bytes, Bytes]> {
    for (const text of this.#keys()) {
      const entry = this.#entries.get(text) as Entry;
      yield [entry.key, entry.value];
    }
  }

  wipe(): void {
    this.#entries.clear();
    this.#sorted = undefined;
  }

  #keys(): string[] {
    // Code-unit order is the default of sort() and what range bounds compare by.
    this.#sorted ??= [...this.#entries.keys()].sort((a, b) => (a < b ? -1 : 1));
    return this.#sorted;
  }
}

function lowerBound(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((keys[middle] as string) < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** What a batch must pass before and after it becomes durable; throws when the node dies there. */
export interface KvGate {
  readonly alive: boolean;
  beforeBatch(): void;
  afterBatch(): void;
}

/** The store as one life of a node sees it. A dead node can neither read nor write. */
export class KvHandle implements KvStore {
  readonly #disk: KvDisk;
  readonly #gate: KvGate;

  constructor(disk: KvDisk, gate: KvGate) {
    this.#disk = disk;
    this.#gate = gate;
  }

  get(key: Bytes): Bytes | undefined {
    return this.#disk.get(key);
  }

  async batch(ops: readonly KvOp[]): Promise<void> {
    this.#gate.beforeBatch();
    if (!this.#gate.alive) throw new DiskFault('power cut before the batch');
    this.#disk.apply(ops);
    this.#gate.afterBatch();
    if (!this.#gate.alive) throw new DiskFault('power cut after the batch');
  }

  async range(range: KvRange): Promise<readonly (readonly [Bytes, Bytes])[]> {
    if (!this.#gate.alive) throw new DiskFault('power cut before the read');
    return this.#disk.range(range);
  }
}
