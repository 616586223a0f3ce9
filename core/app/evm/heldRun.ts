import { assert } from '../../lib/assert.ts';
import type { Bytes } from '../../lib/bytes.ts';
import type { Guard } from '../../types/app.ts';
import type { Height } from '../../types/ids.ts';
import type { BlockRun } from '../blockRun.ts';
import type { Watch } from '../chain.ts';

/** Passes ticks to the guard of the current request: one run serves several requests in turn. */
export class PassedGuard implements Guard {
  now: Guard;

  constructor(first: Guard) {
    this.now = first;
  }

  tick(): Promise<void> | undefined {
    return this.now.tick();
  }

  look(): Promise<void> | undefined {
    return this.now.look();
  }
}

/**
 * A run of a committed block that is positioned after one of its Ethereum transactions and can undo that one. Tracing a
 * transaction in several ways, or several in order, then need not run all earlier transactions again.
 */
export class HeldRun {
  readonly height: Height;
  readonly guard: PassedGuard | undefined;
  readonly #run: BlockRun;
  readonly #txs: readonly Bytes[];
  /** Index of the next consensus transaction. */
  #next = 0;
  #hasMark = false;

  constructor(height: Height, run: BlockRun, txs: readonly Bytes[], guard: PassedGuard | undefined) {
    this.height = height;
    this.guard = guard;
    this.#run = run;
    this.#txs = txs;
  }

  /** Whether the Ethereum transaction is still to come, or can be undone. */
  reaches(ethIndex: number): boolean {
    return ethIndex >= this.#run.ethTxCount - (this.#hasMark ? 1 : 0);
  }

  /** Runs up to and including an Ethereum transaction. `watch` is asked for the hooks of that one. */
  async runThrough(ethIndex: number, watch: Watch): Promise<void> {
    assert(this.reaches(ethIndex), 'a run goes forward');
    if (this.#hasMark) this.#leave(ethIndex);
    while (this.#run.ethTxCount <= ethIndex && this.#next < this.#txs.length) {
      if (this.#run.ethTxCount === ethIndex) await this.#runMarked(watch);
      else await this.#run.addDecided(this.#txs[this.#next++] as Bytes);
    }
  }

  #leave(ethIndex: number): void {
    this.#hasMark = false;
    if (ethIndex === this.#run.ethTxCount - 1) {
      this.#run.takeBack();
      this.#next--;
    } else this.#run.keep();
  }

  /**
   * Marks and runs the next transaction. The mark stays only if that was an Ethereum transaction, hence the one wanted.
   */
  async #runMarked(watch: Watch): Promise<void> {
    const before = this.#run.ethTxCount;
    this.#run.mark();
    await this.#run.addDecided(this.#txs[this.#next++] as Bytes, watch);
    this.#hasMark = this.#run.ethTxCount > before;
    if (!this.#hasMark) this.#run.keep();
  }
}
