import { type Bytes, compareBytes, equalBytes } from '../../core/lib/bytes.ts';
import type { KvOp, KvRange, KvStore } from '../../core/store/kv.ts';
import { hashBytes } from '../rolling.ts';

/** A disk that answers with an error, as a dying drive or a full volume does. Fatal to the node. */
export class DiskFault extends Error {
  override readonly name = 'DiskFault';
}

interface Entry {
  readonly key: Bytes;
  value: Bytes;
}

/** Seed of the hash that finds an entry; keys are compared in full. */
const KEY_SEED = 0x6b76;

/** The database as it lies on the disk: every batch in it is complete and durable. */
export class KvDisk {
  readonly #buckets = new Map<number, Entry[]>();
  #sorted: readonly Entry[] | undefined;
  #count = 0;

  get(key: Bytes): Bytes | undefined {
    return this.#buckets.get(hashBytes(key, KEY_SEED))?.find((entry) => equalBytes(entry.key, key))?.value;
  }

  apply(ops: readonly KvOp[]): void {
    for (const op of ops) {
      if (op.type === 'del') this.#delete(op.key);
      else this.#put(op.key, op.value);
    }
  }

  range(range: KvRange): readonly (readonly [Bytes, Bytes])[] {
    const entries = this.#inOrder();
    const low = lowerBound(entries, range.gte);
    const high = lowerBound(entries, range.lt);
    const count = Math.min(Math.max(0, high - low), range.limitMax);
    const out: (readonly [Bytes, Bytes])[] = [];
    for (let i = 0; i < count; i++) {
      const { key, value } = entries[range.reverse === true ? high - 1 - i : low + i] as Entry;
      out.push([key, value]);
    }
    return out;
  }

  get size(): number {
    return this.#count;
  }

  /** Every entry in key order. */
  *entries(): IterableIterator<readonly [Bytes, Bytes]> {
    for (const { key, value } of this.#inOrder()) yield [key, value];
  }

  wipe(): void {
    this.#buckets.clear();
    this.#sorted = undefined;
    this.#count = 0;
  }

  #put(key: Bytes, value: Bytes): void {
    const hash = hashBytes(key, KEY_SEED);
    const bucket = this.#buckets.get(hash);
    const known = bucket?.find((entry) => equalBytes(entry.key, key));
    if (known !== undefined) {
      known.value = value.slice();
      return;
    }
    const entry = { key: key.slice(), value: value.slice() };
    if (bucket === undefined) this.#buckets.set(hash, [entry]);
    else bucket.push(entry);
    this.#sorted = undefined;
    this.#count++;
  }

  #delete(key: Bytes): void {
    const hash = hashBytes(key, KEY_SEED);
    const bucket = this.#buckets.get(hash);
    const at = bucket?.findIndex((entry) => equalBytes(entry.key, key)) ?? -1;
    if (bucket === undefined || at < 0) return;
    bucket.splice(at, 1);
    this.#sorted = undefined;
    this.#count--;
  }

  #inOrder(): readonly Entry[] {
    this.#sorted ??= [...this.#buckets.values()].flat().sort((a, b) => compareBytes(a.key, b.key));
    return this.#sorted;
  }
}

function lowerBound(entries: readonly Entry[], key: Bytes): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareBytes((entries[middle] as Entry).key, key) < 0) low = middle + 1;
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
