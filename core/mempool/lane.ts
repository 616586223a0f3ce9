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
  /** Announced as pending: it became executable once. */
  announced: boolean;
}

/** One sender's transactions by nonce. Executable are those that follow the state nonce without a gap. */
export class Lane {
  #stateNonce: bigint;
  #txs: PoolTx[] = [];
  #executable = 0;
  #executableCost = 0n;
  #revision = 0;
  /** The earlier nonce that the rest waits for. */
  #awaited: bigint | undefined;
  #waitingSince: Micros | undefined;

  constructor(stateNonce: bigint) {
    this.#stateNonce = stateNonce;
  }

  get stateNonce(): bigint {
    return this.#stateNonce;
  }

  /** How many txs from the front follow the state nonce without a gap. */
  get executable(): number {
    return this.#executable;
  }

  get size(): number {
    return this.#txs.length;
  }

  /** Another one whenever something of it may be another. */
  get revision(): number {
    return this.#revision;
  }

  /** Most that the executable txs can cost together, wei. */
  get executableCost(): bigint {
    return this.#executableCost;
  }

  /** Ascending by nonce. */
  get txs(): readonly PoolTx[] {
    return this.#txs;
  }

  /** For how long what does not follow without a gap was seen to wait for the same nonce; 0 when nothing waits. */
  waited(now: Micros): number {
    if (this.#awaited === undefined) return 0;
    this.#waitingSince ??= now;
    return now - this.#waitingSince;
  }

  at(nonce: bigint): PoolTx | undefined {
    const tx = this.#txs[this.#search(nonce)];
    return tx?.lane.nonce === nonce ? tx : undefined;
  }

  /** Puts a tx at its nonce; answers the one it replaced, or 'underpriced' when it may not replace it. */
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

  /** Takes the last tx out, which no other follows; undefined when there is none. */
  dropTail(): PoolTx | undefined {
    const tail = this.#txs.pop();
    if (tail !== undefined && this.#executable > this.#txs.length) {
      this.#executable = this.#txs.length;
      this.#executableCost -= tail.lane.cost;
    }
    this.#settle();
    return tail;
  }

  /** Moves to a new state nonce; answers the txs that are past or that the balance no longer covers. */
  advance(stateNonce: bigint, balance: bigint): readonly PoolTx[] {
    assert(stateNonce >= this.#stateNonce, 'a lane never moves back');
    this.#stateNonce = stateNonce;
    return this.#takeOut((tx) => tx.lane.nonce < stateNonce || tx.lane.cost > balance);
  }

  /** Answers those that no block after this height may hold; what follows them waits for others. */
  expire(height: Height): readonly PoolTx[] {
    return this.#takeOut(
      ({ lane: { lastHeight } }) => lastHeight !== undefined && lastHeight <= BigInt(height),
    );
  }

  /** Answers those that would take more bytes of a block. */
  outgrow(bytesMax: number): readonly PoolTx[] {
    return this.#takeOut((tx) => wireBytes(tx) > bytesMax);
  }

  /** Takes out what is gone. */
  #takeOut(isGone: (tx: PoolTx) => boolean): readonly PoolTx[] {
    const gone = this.#txs.filter(isGone);
    if (gone.length > 0) this.#txs = this.#txs.filter((tx) => !isGone(tx));
    this.#executable = 0;
    this.#executableCost = 0n;
    this.#settle();
    return gone;
  }

  /** Counts what may run by now. Whoever waits for another nonce than before, or did not wait, waits anew. */
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

/** As geth has it: more in any case, and no less than so many percent more, rounded down to whole wei. */
const isMore = (fresh: bigint, old: bigint, bumpPercent: bigint): boolean =>
  fresh > old && fresh >= (old * (100n + bumpPercent)) / 100n;
