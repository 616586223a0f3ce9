import type { Bytes } from '../lib/bytes.ts';
import type { KvOp } from '../types/kvOp.ts';

export type { KvOp };

export interface KvRange {
  /** Inclusive. */
  readonly gte: Bytes;
  /** Exclusive. */
  readonly lt: Bytes;
  readonly reverse?: boolean;
  readonly limitMax: number;
}

/**
 * The one database of a node. Implemented by adapters/disk (LevelDB) and sim/disk (the faulty disk).
 * A failed read or write is an OperatingError of the adapter: fatal, never an answer.
 */
export interface KvStore {
  /** Synchronous point read; undefined when absent. The caller must not write into the returned bytes. */
  get(key: Bytes): Bytes | undefined;
  /** All or nothing, and durable (synced) when the promise resolves. */
  batch(ops: readonly KvOp[]): Promise<void>;
  /** Entries in key order (or reverse), at most `limitMax`. */
  range(range: KvRange): Promise<readonly (readonly [Bytes, Bytes])[]>;
}
