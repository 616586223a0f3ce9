import type { Lane, PoolTx } from './lane.ts';
import { tipOf } from './order.ts';

/** The last tx of a lane: the one that no other follows. */
export interface Tail {
  readonly sender: string;
  readonly lane: Lane;
  readonly tx: PoolTx;
}

export interface Contest {
  readonly lanes: Iterable<readonly [string, Lane]>;
  /** Where `fresh` would go. */
  readonly own: Lane;
  readonly fresh: PoolTx;
  /** Executable txs that each sender may keep whatever others pay. */
  readonly laneSlots: number;
  /** Of the next block: what a tx earns the proposer there counts first. */
  readonly baseFee: bigint;
}

/** Negative when `a` is worth less: by what it pays now, then by what it could pay (geth's priced list). */
function compareWorth(a: PoolTx, b: PoolTx, baseFee: bigint): number {
  const tips = tipOf(a, baseFee) - tipOf(b, baseFee);
  if (tips !== 0n) return tips < 0n ? -1 : 1;
  const caps = a.lane.feeCap - b.lane.feeCap;
  if (caps !== 0n) return caps < 0n ? -1 : 1;
  const wishes = a.lane.tipCap - b.lane.tipCap;
  return wishes === 0n ? 0 : wishes < 0n ? -1 : 1;
}

/**
 * The tx that a full pool gives up for `fresh`, undefined for none: the last one of the sender who fills the pool most
 * beyond a sender's slots, when `fresh` comes from one with slots to spare (geth's pool truncation); otherwise the one
 * worth least of those that nothing follows, if `fresh` is worth more.
 */
export function victimFor(contest: Contest): Tail | undefined {
  const { lanes, own, fresh, laneSlots, baseFee } = contest;
  let greedy: Tail | undefined;
  let worst: Tail | undefined;
  for (const [sender, lane] of lanes) {
    const tx = lane.txs.at(-1);
    // Driving out what the fresh one follows would leave it without a way into a block.
    if (tx === undefined || (lane === own && tx.lane.nonce < fresh.lane.nonce)) continue;
    if (lane.size > Math.max(laneSlots, greedy?.lane.size ?? 0)) greedy = { sender, lane, tx };
    const order = worst === undefined ? -1 : compareWorth(tx, worst.tx, baseFee);
    // Of two equal prices the younger goes first.
    if (worst === undefined || order < 0 || (order === 0 && tx.sequence > worst.tx.sequence))
      worst = { sender, lane, tx };
  }
  const isModest = own.size < laneSlots && fresh.lane.nonce === own.stateNonce + BigInt(own.executable);
  if (greedy !== undefined && isModest && fresh.lane.feeCap >= baseFee) return greedy;
  return worst !== undefined && compareWorth(worst.tx, fresh, baseFee) < 0 ? worst : undefined;
}
