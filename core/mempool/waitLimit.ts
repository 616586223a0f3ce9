import type { Micros, Millis } from '../types/ids.ts';
import type { MempoolRefusal } from '../types/submit.ts';
import { Inclusion } from './inclusion.ts';
import type { Lane, PoolTx } from './lane.ts';
import { type Contest, victimFor } from './victim.ts';

/** Refuses clients' transactions that would wait too long because blocks have fallen behind (`mempool.max_wait`). */
export class WaitLimit {
  readonly #maxWaitMs: Millis;
  readonly #inclusion = new Inclusion();
  /** Executable txs that can pay the base fee: counted after each commit, plus those added since. */
  #payable = 0;

  /** @param maxWaitMs 0 for no limit. */
  constructor(maxWaitMs: Millis) {
    this.#maxWaitMs = maxWaitMs;
  }

  /** `count` more txs have become executable. They are taken to pay the base fee. */
  added(count: number): void {
    this.#payable += count;
  }

  /** The pool is empty: nothing waits, although the next block may never come. */
  flushed(): void {
    this.#payable = 0;
  }

  onCommitted(now: Micros, included: number, lanes: Iterable<Lane>, baseFee: bigint): void {
    if (this.#maxWaitMs === 0) return;
    this.#payable = 0;
    for (const { txs, executable } of lanes) {
      for (let i = 0; i < executable && (txs[i] as PoolTx).lane.feeCap >= baseFee; i++) this.#payable += 1;
    }
    this.#inclusion.onBlock(now, included, this.#payable);
  }

  /** Exempt are a tx worth more than one in the pool and a tx that replaces another: they do not wait that long. */
  refuse(contest: Contest): MempoolRefusal | undefined {
    const { own, fresh } = contest;
    const wait = this.#maxWaitMs === 0 ? undefined : this.#inclusion.waitMicros(this.#payable);
    if (wait === undefined || wait <= this.#maxWaitMs * 1000) return undefined;
    if (own.at(fresh.lane.nonce) !== undefined || victimFor(contest) !== undefined) return undefined;
    const waitMs = Math.ceil(wait / 1000);
    return {
      code: 'lane-full',
      message: `txpool is full: a transaction waits ${waitMs} ms for its block, and may wait ${this.#maxWaitMs} ms`,
    };
  }
}
