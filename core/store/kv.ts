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
 * The one database of a node. Implemented by adapters/disk (LevelDB) and sim/disk (the faulty disk). If a read or write
 * fails, the adapter throws an OperatingError, which is fatal.
 */
export interface KvStore {
  /** Synchronous point read; undefined if absent. The caller must not modify the returned bytes. */
  get(key: Bytes): Bytes | undefined;
  /** All or nothing. Durable (synced) once the promise resolves. */
  batch(ops: readonly KvOp[]): Promise<void>;
  /** At most `limitMax` entries, in key order or in reverse. */
  range(range: KvRange): Promise<readonly (readonly [Bytes, Bytes])[]>;
}
