import type { Lane, PoolTx } from './lane.ts';
import { tipOf } from './order.ts';

/** The last tx of a lane, which no other one follows. */
export interface Tail {
  readonly sender: string;
  readonly lane: Lane;
  readonly tx: PoolTx;
}

export interface Contest {
  readonly lanes: Iterable<readonly [string, Lane]>;
  /** The lane that `fresh` would join. */
  readonly own: Lane;
  readonly fresh: PoolTx;
  /** The share of the pool that a sender may exceed only while there is room. */
  readonly laneSlots: number;
  /** Base fee of the next block, on which a tx's worth depends. */
  readonly baseFee: bigint;
}

/** Negative if `a` is worth less: compares what they pay now, then what they could pay (geth's priced list). */
function compareWorth(a: PoolTx, b: PoolTx, baseFee: bigint): number {
  const tips = tipOf(a, baseFee) - tipOf(b, baseFee);
  if (tips !== 0n) return tips < 0n ? -1 : 1;
  const caps = a.lane.feeCap - b.lane.feeCap;
  if (caps !== 0n) return caps < 0n ? -1 : 1;
  const wishes = a.lane.tipCap - b.lane.tipCap;
  return wishes === 0n ? 0 : wishes < 0n ? -1 : 1;
}

/**
 * Eviction as in geth: first the last transaction of the sender furthest over its share, if the sender of `fresh` is
 * below its own; else the least valuable transaction with no successor, if `fresh` is worth more. Ties go to the
 * youngest. undefined if there is none.
 */
export function victimFor(contest: Contest): Tail | undefined {
  const { lanes, own, fresh, laneSlots, baseFee } = contest;
  let greedy: Tail | undefined;
  let worst: Tail | undefined;
  for (const [sender, lane] of lanes) {
    const tx = lane.txs.at(-1);
    // Evicting a tx that `fresh` follows would leave `fresh` with a nonce gap.
    if (tx === undefined || (lane === own && tx.lane.nonce < fresh.lane.nonce)) continue;
    if (lane.size > Math.max(laneSlots, greedy?.lane.size ?? 0)) greedy = { sender, lane, tx };
    const order = worst === undefined ? -1 : compareWorth(tx, worst.tx, baseFee);
    // Of two equal prices the younger tx goes first.
    if (worst === undefined || order < 0 || (order === 0 && tx.sequence > worst.tx.sequence))
      worst = { sender, lane, tx };
  }
  const isModest = own.size < laneSlots && fresh.lane.nonce === own.stateNonce + BigInt(own.executable);
  if (greedy !== undefined && isModest && fresh.lane.feeCap >= baseFee) return greedy;
  return worst !== undefined && compareWorth(worst.tx, fresh, baseFee) < 0 ? worst : undefined;
}
