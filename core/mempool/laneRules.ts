import type { MempoolRefusal } from '../types/submit.ts';
import type { MempoolConfig } from './config.ts';
import type { Lane, PoolTx } from './lane.ts';

/** Limits on what one sender may have in the pool, whatever others have. The texts are geth's. */
export function refuseForLane(
  lane: Lane,
  tx: PoolTx,
  queued: number,
  { laneQueuedMax, queuedMax }: MempoolConfig,
): MempoolRefusal | undefined {
  const overdraft = refuseOverdraft(lane, tx);
  if (overdraft !== undefined || lane.at(tx.lane.nonce) !== undefined) return overdraft;
  const gapped = isGapped(lane, tx);
  if (tx.lane.isDelegated === true) {
    // Anyone may move the coins of a delegated account, so txs behind its first one may fail at any time.
    if (gapped) return full('gapped-nonce tx from delegated accounts');
    if (lane.size > 0) return full('in-flight transaction limit reached for delegated accounts');
  }
  if (!gapped) return undefined;
  const laneQueued = lane.size - lane.executable;
  if (laneQueued >= laneQueuedMax)
    return full(`account limit exceeded: ${laneQueued} queued of ${laneQueuedMax}`);
  return queued < queuedMax ? undefined : full(`txpool is full: ${queued} queued of ${queuedMax}`);
}

/** Whether another nonce must come first. */
export const isGapped = (lane: Lane, tx: PoolTx): boolean =>
  tx.lane.nonce > lane.stateNonce + BigInt(lane.executable);

const full = (message: string): MempoolRefusal => ({ code: 'lane-full', message });

/** The balance must cover all executable txs together. */
function refuseOverdraft(lane: Lane, tx: PoolTx): MempoolRefusal | undefined {
  const { balance, cost, nonce } = tx.lane;
  const spent = lane.executableCost;
  const old = lane.at(nonce);
  const isReplacement = old !== undefined && nonce < lane.stateNonce + BigInt(lane.executable);
  const added = isReplacement ? cost - old.lane.cost : cost;
  const overshot = spent + added - balance;
  if (overshot <= 0n) return undefined;
  const bumped = isReplacement ? `tx bumped ${added}` : `tx cost ${cost}`;
  return {
    code: 'overdraft',
    message: `insufficient funds for gas * price + value: balance ${balance}, queued cost ${spent}, ${bumped}, overshot ${overshot}`,
  };
}
