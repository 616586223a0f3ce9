import { type Bytes, EMPTY, equalBytes } from '../../core/lib/bytes.ts';
import type { KvOp, KvRange, KvStore } from '../../core/store/kv.ts';
import type { ChoiceStream } from '../world/choices.ts';
import { hashBytes } from '../world/rolling.ts';
import { type Entry, Pages } from './entry.ts';
import { KeyOrder } from './keyOrder.ts';

/** A disk that answers with an error, as a dying drive or a full volume does. Fatal to the node. */
export class DiskFault extends Error {
  override readonly name = 'DiskFault';
}

/** What can be wrong with a database: see `KvDisk.damage`. */
export type DbFault = 'rot' | 'misplaced' | 'lost_batch' | 'stale' | 'unreadable';
export const DB_FAULTS: readonly DbFault[] = ['rot', 'misplaced', 'lost_batch', 'stale', 'unreadable'];
/** Faults of which a node notices nothing before it reads what they concern. */
export const READ_FAULTS: readonly string[] = ['rot', 'misplaced', 'stale', 'unreadable'];

/** What a batch replaced: the entry of each write, and the value before, which is undefined if there was none. */
interface Undo {
  readonly entries: Entry[];
  readonly before: (Bytes | undefined)[];
}

/** Batches whose old values are kept, for faults that bring them back. */
const UNDO_MAX = 3;
/** Reads that one `stale` fault may answer with an older value. */
const STALE_READS = 8;
/** An `unreadable` fault refuses one of the next 2^n reads, with n drawn from 1 to this. */
const REFUSED_AMONG_LOG2 = 6;

/** Seed of the hash by which entries are found. Keys are compared in full as well. */
const KEY_SEED = 0x6b76;

/** A small integer, which the host's Map finds fastest. */
const placeOf = (key: Bytes): number => hashBytes(key, KEY_SEED) | 0;

/** The database as it lies on the disk: every batch in it is complete and durable. */
export class KvDisk {
  readonly #places = new Map<number, Entry>();
  readonly #pages = new Pages();
  #order = new KeyOrder();
  #count = 0;
  /** The newest batches, oldest first. */
  #undo: Undo[] = [];
  #staleReads = 0;
  /** Reads up to and including the one that is refused; 0: none will be. */
  #refusedIn = 0;
  /** Entries with a wrong value, and what to call when the node reads one. */
  readonly #wrong = new Map<Entry, () => void>();
  #onStale: (() => void)[] = [];
  #onRefused: (() => void)[] = [];

  /** A read to come may be answered with an older value. */
  get isStale(): boolean {
    return this.#staleReads > 0;
  }

  /** To be called before each read of the node itself. Throws DiskFault if the drive refuses the read. */
  beforeRead(): void {
    if (this.#refusedIn === 0 || --this.#refusedIn > 0) return;
    for (const call of this.#onRefused.splice(0)) call();
    throw new DiskFault('cannot read the database: input/output error (EIO)');
  }

  get(key: Bytes): Bytes | undefined {
    if (this.#staleReads > 0) {
      const older = this.#older(key);
      if (older !== undefined) {
        this.#staleReads--;
        for (const call of this.#onStale.splice(0)) call();
        return older;
      }
    }
    return this.#find(key)?.value;
  }

  #find(key: Bytes): Entry | undefined {
    return entryOf(this.#places.get(placeOf(key)), key);
  }

  /** To be called after the node itself has read a key. */
  afterRead(key: Bytes): void {
    if (this.#wrong.size === 0) return;
    const entry = this.#find(key);
    if (entry !== undefined) this.#wrong.get(entry)?.();
  }

  /** Writes a batch. Returns the first key that it was to delete and that was not there. */
  apply(ops: readonly KvOp[]): Bytes | undefined {
    const undo = this.#write(ops);
    this.#undo.push(undo);
    if (this.#undo.length > UNDO_MAX) this.#undo.shift();
    return ops.find(({ type }, i) => type === 'del' && undo.before[i] === undefined)?.key;
  }

  #write(ops: readonly KvOp[]): Undo {
    const undo: Undo = { entries: [], before: [] };
    for (const op of ops) {
      if (op.type === 'del') this.#delete(op.key, undo);
      else this.#put(op.key, op.value, undo);
    }
    return undo;
  }

  /** The value that the newest batch replaced, if any. */
  #older(key: Bytes): Bytes | undefined {
    const newest = this.#undo.at(-1);
    return newest?.before[newest.entries.findIndex((entry) => entry.hasKey(key))];
  }

  /**
   * Breaks the database as a bad drive does. True when something is wrong with it now.
   * - `rot`: one bit of one value is inverted;
   * - `misplaced`: the value of one key lies under another one;
   * - `lost_batch`: the newest batch never reached the disk, or the one before it did not although the newest did;
   * - `stale`: the next reads of keys that the newest batch has changed return the value before;
   * - `unreadable`: one of the next reads fails, and the data is still intact.
   * @param onRead Called when the node reads what is wrong, at least once.
   */
  damage(fault: DbFault, choices: ChoiceStream, onRead: () => void = () => {}): boolean {
    const entries = this.#order.all();
    if (entries.length < 2) return false;
    const pick = (): Entry => entries[choices.choose(entries.length)] as Entry;
    switch (fault) {
      case 'rot': {
        const entry = pick();
        if (entry.value.length === 0) return false;
        const bit = choices.choose(entry.value.length * 8);
        const rotten = entry.value.slice();
        rotten[bit >>> 3] = (rotten[bit >>> 3] as number) ^ (1 << (bit & 7));
        entry.value = rotten;
        this.#wrong.set(entry, onRead);
        return true;
      }
      case 'misplaced': {
        const [to, from] = [pick(), pick()];
        const isOther = !equalBytes(to.value, from.value);
        to.value = from.value;
        if (isOther) this.#wrong.set(to, onRead);
        return isOther;
      }
      case 'lost_batch':
        return this.#loseBatch(choices.choose(2));
      case 'stale':
        this.#staleReads = STALE_READS;
        this.#onStale.push(onRead);
        return true;
      case 'unreadable':
        this.#refusedIn = 1 + choices.choose(2 ** (1 + choices.choose(REFUSED_AMONG_LOG2)));
        this.#onRefused.push(onRead);
        return true;
    }
  }

  /** Takes back the batch `age` batches before the newest; what later batches wrote stays. */
  #loseBatch(age: number): boolean {
    const at = this.#undo.length - 1 - age;
    const lost = this.#undo[at];
    if (lost === undefined) return false;
    const later = this.#undo.slice(at + 1);
    const isRewritten = (key: Bytes): boolean =>
      later.some(({ entries }) => entries.some((entry) => entry.hasKey(key)));
    // Backwards: if the batch wrote a key twice, its first entry has the value from before the batch.
    const back = lost.entries
      .map(({ key }, i): KvOp => {
        const value = lost.before[i];
        return value === undefined ? { type: 'del', key } : { type: 'put', key, value };
      })
      .filter(({ key }) => !isRewritten(key))
      .reverse();
    this.#write(back);
    this.#undo.splice(at, 1);
    return true;
  }

  range({ gte, lt, limitMax, reverse }: KvRange): readonly (readonly [Bytes, Bytes])[] {
    const entries = this.#order.between(gte, lt);
    const count = Math.min(entries.length, limitMax);
    return Array.from({ length: count }, (_, i) => {
      const { key, value } = entries[reverse === true ? entries.length - 1 - i : i] as Entry;
      return [key, value];
    });
  }

  get size(): number {
    return this.#count;
  }

  /** Every entry in key order. */
  entries(): readonly Readonly<Entry>[] {
    return this.#order.all();
  }

  /** Visits each entry with the value that another disk has under its key, in no order. */
  beside(other: KvDisk, visit: (key: Bytes, own: Bytes, theirs: Bytes | undefined) => void): void {
    for (const [place, first] of this.#places)
      for (let entry: Entry | undefined = first; entry !== undefined; entry = entry.next)
        visit(entry.key, entry.value, entryOf(other.#places.get(place), entry.key)?.value);
  }

  wipe(): void {
    this.#places.clear();
    this.#order = new KeyOrder();
    this.#count = 0;
    this.#undo = [];
    this.#staleReads = 0;
    this.#refusedIn = 0;
    this.#wrong.clear();
    this.#onStale = [];
    this.#onRefused = [];
  }

  #put(key: Bytes, value: Bytes, undo: Undo): void {
    const place = placeOf(key);
    const first = this.#places.get(place);
    const known = entryOf(first, key);
    const entry = known ?? this.#pages.entry(key, value, first);
    undo.entries.push(entry);
    undo.before.push(known?.value);
    if (known !== undefined) {
      known.value = value.slice();
      this.#wrong.delete(known);
      return;
    }
    this.#places.set(place, entry);
    this.#order.added(entry);
    this.#count++;
  }

  #delete(key: Bytes, undo: Undo): void {
    const place = placeOf(key);
    const first = this.#places.get(place);
    const gone = entryOf(first, key);
    undo.entries.push(gone ?? this.#pages.entry(key, EMPTY, undefined));
    undo.before.push(gone?.value);
    if (gone === undefined) return;
    if (gone !== first) {
      let other = first;
      while (other !== undefined && other.next !== gone) other = other.next;
      if (other !== undefined) other.next = gone.next;
    } else if (gone.next === undefined) this.#places.delete(place);
    else this.#places.set(place, gone.next);
    gone.isGone = true;
    this.#order.removed(gone);
    this.#count--;
  }
}

function entryOf(first: Entry | undefined, key: Bytes): Entry | undefined {
  for (let entry = first; entry !== undefined; entry = entry.next) {
    if (entry.hasKey(key)) return entry;
  }
  return undefined;
}

/** The crash points before and after a batch becomes durable. `alive` is false when the node died at one of them. */
export interface KvGate {
  readonly alive: boolean;
  beforeBatch(): void;
  /** @param vain The first key that the batch was to delete and that was not there. */
  afterBatch(vain: Bytes | undefined): void;
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
    this.#beforeRead();
    const value = this.#disk.get(key);
    this.#disk.afterRead(key);
    return value;
  }

  async batch(ops: readonly KvOp[]): Promise<void> {
    this.#gate.beforeBatch();
    if (!this.#gate.alive) throw new DiskFault('power cut before the batch');
    this.#gate.afterBatch(this.#disk.apply(ops));
    if (!this.#gate.alive) throw new DiskFault('power cut after the batch');
  }

  async range(range: KvRange): Promise<readonly (readonly [Bytes, Bytes])[]> {
    this.#beforeRead();
    const found = this.#disk.range(range);
    for (const [key] of found) this.#disk.afterRead(key);
    return found;
  }

  /** A dead life must not consume a fault that is meant for the next one. */
  #beforeRead(): void {
    if (!this.#gate.alive) throw new DiskFault('power cut before the read');
    this.#disk.beforeRead();
  }
}
