import { assert } from '../lib/assert.ts';
import { type Bytes, toHex } from '../lib/bytes.ts';
import type { PoolTx } from './lane.ts';

/** The pool's transactions by hash, and their total size. */
export class Pooled {
  readonly #byKey = new Map<string, PoolTx>();
  readonly #byEthHash = new Map<string, PoolTx>();
  #bytes = 0;
  #expiring = 0;

  get size(): number {
    return this.#byKey.size;
  }

  /** Total size of the txs alone, without what a block adds to each. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Number of txs that have a last height. */
  get expiring(): number {
    return this.#expiring;
  }

  /** In arrival order. */
  txs(): Iterable<PoolTx> {
    return this.#byKey.values();
  }

  byKey(key: string): PoolTx | undefined {
    return this.#byKey.get(key);
  }

  byEthHash(hash: Bytes): PoolTx | undefined {
    return this.#byEthHash.get(toHex(hash));
  }

  add(tx: PoolTx): void {
    this.#byKey.set(tx.key, tx);
    if (tx.lane.ethHash !== undefined) this.#byEthHash.set(toHex(tx.lane.ethHash), tx);
    this.#bytes += tx.bytes.length;
    if (tx.lane.lastHeight !== undefined) this.#expiring += 1;
  }

  clear(): void {
    this.#byKey.clear();
    this.#byEthHash.clear();
    this.#bytes = 0;
    this.#expiring = 0;
  }

  remove(tx: PoolTx): void {
    assert(this.#byKey.delete(tx.key), 'tx in a lane but not in the pool');
    if (tx.lane.ethHash !== undefined) this.#byEthHash.delete(toHex(tx.lane.ethHash));
    this.#bytes -= tx.bytes.length;
    if (tx.lane.lastHeight !== undefined) this.#expiring -= 1;
  }
}
