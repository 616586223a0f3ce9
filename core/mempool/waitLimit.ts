import type { Micros, Millis } from '../types/ids.ts';
import type { MempoolRefusal } from '../types/submit.ts';
import { Inclusion } from './inclusion.ts';
import type { Lane, PoolTx } from './lane.ts';
import { type Contest, victimFor } from './victim.ts';

/** Refuses clients while blocks fall so far behind that what they send would wait too long (`mempool.max_wait`). */
export class WaitLimit {
  readonly #maxWaitMs: Millis;
  readonly #inclusion = new Inclusion();
  /** Executable txs that can pay the base fee: counted after each commit, and those that came since. */
  #payable = 0;

  /** @param maxWaitMs 0 for no limit. */
  constructor(maxWaitMs: Millis) {
    this.#maxWaitMs = maxWaitMs;
  }

  /** So many more became executable, all of which can pay. */
  added(count: number): void {
    this.#payable += count;
  }

  onCommitted(now: Micros, included: number, lanes: Iterable<Lane>, baseFee: bigint): void {
    if (this.#maxWaitMs === 0) return;
    this.#payable = 0;
    for (const { txs, executable } of lanes) {
      for (let i = 0; i < executable && (txs[i] as PoolTx).lane.feeCap >= baseFee; i++) this.#payable += 1;
    }
    this.#inclusion.onBlock(now, included, this.#payable);
  }

  /** Not for what is worth more than some that wait, nor for what takes the place of another: neither waits so long. */
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
