import type { Lane, PoolTx } from './lane.ts';

export interface Tail {
  readonly sender: string;
  readonly lane: Lane;
  readonly tx: PoolTx;
}

/** Of two equal prices the younger goes first. */
const isCheaper = (a: PoolTx, b: PoolTx): boolean =>
  a.lane.feeCap < b.lane.feeCap || (a.lane.feeCap === b.lane.feeCap && a.sequence > b.sequence);

/**
 * The cheapest tx that no other follows, to make room for `fresh` of lane `own` (geth's pricedList); undefined when
 * every such tx pays at least as much.
 */
export function worstTail(
  lanes: Iterable<readonly [string, Lane]>,
  own: Lane,
  fresh: PoolTx,
): Tail | undefined {
  let worst: Tail | undefined;
  for (const [sender, lane] of lanes) {
    const tx = lane.txs.at(-1);
    // Driving out what the fresh one follows would leave it without a way into a block.
    if (tx === undefined || (lane === own && tx.lane.nonce < fresh.lane.nonce)) continue;
    if (worst === undefined || isCheaper(tx, worst.tx)) worst = { sender, lane, tx };
  }
  return worst !== undefined && worst.tx.lane.feeCap < fresh.lane.feeCap ? worst : undefined;
}
