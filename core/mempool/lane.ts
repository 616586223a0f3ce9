import { assert } from '../lib/assert.ts';
import type { Bytes } from '../lib/bytes.ts';
import type { LanePosition } from '../types/app.ts';
import type { Height, Micros } from '../types/ids.ts';
import { wireBytes } from './order.ts';

export interface PoolTx {
  readonly bytes: Bytes;
  /** Lower-case hex of sha256(bytes). */
  readonly key: string;
  readonly lane: LanePosition;
  /** Arrival order, the tie-break between equal prices. */
  readonly sequence: number;
  /** Whether it was announced as pending, on becoming executable for the first time. */
  announced: boolean;
}

/** One sender's transactions by nonce. Those that follow the state nonce without a gap are executable. */
export class Lane {
  #stateNonce: bigint;
  #txs: PoolTx[] = [];
  #executable = 0;
  #executableCost = 0n;
  #revision = 0;
  /** The missing nonce that the non-executable txs wait for. */
  #awaited: bigint | undefined;
  #waitingSince: Micros | undefined;

  constructor(stateNonce: bigint) {
    this.#stateNonce = stateNonce;
  }

  get stateNonce(): bigint {
    return this.#stateNonce;
  }

  /** Number of txs from the front that follow the state nonce without a gap. */
  get executable(): number {
    return this.#executable;
  }

  get size(): number {
    return this.#txs.length;
  }

  /** Changes whenever the lane may have changed. */
  get revision(): number {
    return this.#revision;
  }

  /** The most that the executable txs can cost together, in wei. */
  get executableCost(): bigint {
    return this.#executableCost;
  }

  /** Ascending by nonce. */
  get txs(): readonly PoolTx[] {
    return this.#txs;
  }

  /** How long the non-executable txs have been seen waiting for the same nonce; 0 if there are none. */
  waited(now: Micros): number {
    if (this.#awaited === undefined) return 0;
    this.#waitingSince ??= now;
    return now - this.#waitingSince;
  }

  at(nonce: bigint): PoolTx | undefined {
    const tx = this.#txs[this.#search(nonce)];
    return tx?.lane.nonce === nonce ? tx : undefined;
  }

  /** Puts a tx at its nonce. Returns the tx it replaced, or 'underpriced' if it may not replace that one. */
  put(tx: PoolTx, bumpPercent: number): { readonly replaced: PoolTx | undefined } | 'underpriced' {
    assert(tx.lane.nonce >= this.#stateNonce, 'a tx below the state nonce');
    const index = this.#search(tx.lane.nonce);
    const old = this.#txs[index];
    if (old === undefined || old.lane.nonce !== tx.lane.nonce) {
      this.#txs.splice(index, 0, tx);
      this.#settle();
      return { replaced: undefined };
    }
    if (!outbids(tx.lane, old.lane, BigInt(bumpPercent))) return 'underpriced';
    this.#txs[index] = tx;
    this.#revision += 1;
    if (index < this.#executable) this.#executableCost += tx.lane.cost - old.lane.cost;
    return { replaced: old };
  }

  /** Removes and returns the last tx; undefined if there is none. */
  dropTail(): PoolTx | undefined {
    const tail = this.#txs.pop();
    if (tail !== undefined && this.#executable > this.#txs.length) {
      this.#executable = this.#txs.length;
      this.#executableCost -= tail.lane.cost;
    }
    this.#settle();
    return tail;
  }

  /** Moves to a new state nonce. Removes and returns the txs below it and those that cost more than the balance. */
  advance(stateNonce: bigint, balance: bigint): readonly PoolTx[] {
    assert(stateNonce >= this.#stateNonce, 'a lane never moves back');
    this.#stateNonce = stateNonce;
    return this.#takeOut((tx) => tx.lane.nonce < stateNonce || tx.lane.cost > balance);
  }

  /** Removes and returns the txs that no block after `height` may hold. Txs behind them then have a gap to wait for. */
  expire(height: Height): readonly PoolTx[] {
    return this.#takeOut(
      ({ lane: { lastHeight } }) => lastHeight !== undefined && lastHeight <= BigInt(height),
    );
  }

  /** Removes and returns the txs that take more than `bytesMax` bytes of a block. */
  takeLargerThan(bytesMax: number): readonly PoolTx[] {
    return this.#takeOut((tx) => wireBytes(tx) > bytesMax);
  }

  /** Removes and returns the txs for which `isGone` is true. */
  #takeOut(isGone: (tx: PoolTx) => boolean): readonly PoolTx[] {
    const gone = this.#txs.filter(isGone);
    if (gone.length > 0) this.#txs = this.#txs.filter((tx) => !isGone(tx));
    this.#executable = 0;
    this.#executableCost = 0n;
    this.#settle();
    return gone;
  }

  /** Counts the executable txs. If the others now wait for another nonce, or begin to wait, their wait starts anew. */
  #settle(): void {
    this.#revision += 1;
    let next = this.#stateNonce + BigInt(this.#executable);
    for (;;) {
      const tx = this.#txs[this.#executable];
      if (tx?.lane.nonce !== next) break;
      this.#executable += 1;
      this.#executableCost += tx.lane.cost;
      next += 1n;
    }
    const awaited = this.#executable < this.#txs.length ? next : undefined;
    if (awaited === this.#awaited) return;
    this.#awaited = awaited;
    this.#waitingSince = undefined;
  }

  #search(nonce: bigint): number {
    let low = 0;
    let high = this.#txs.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#txs[middle] as PoolTx).lane.nonce < nonce) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

const outbids = (fresh: LanePosition, old: LanePosition, bumpPercent: bigint): boolean =>
  isMore(fresh.feeCap, old.feeCap, bumpPercent) && isMore(fresh.tipCap, old.tipCap, bumpPercent);

/** geth's rule: more in any case, and at least `bumpPercent` percent more, rounded down to whole wei. */
const isMore = (fresh: bigint, old: bigint, bumpPercent: bigint): boolean =>
  fresh > old && fresh >= (old * (100n + bumpPercent)) / 100n;
