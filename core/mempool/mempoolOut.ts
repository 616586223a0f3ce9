import type { AppAsk } from '../types/app.ts';
import type { Millis, PeerId } from '../types/ids.ts';
import type { SubmitResult } from '../types/submit.ts';
import type { PoolTx } from './lane.ts';

/** What the mempool wants done. */
export interface MempoolOut {
  check(call: number, ask: Extract<AppAsk, { kind: 'checkTx' }>): void;
  reply(call: number, result: SubmitResult): void;
  pending(tx: PoolTx): void;
  /** New in the pool: peers should have it. */
  gossip(tx: PoolTx): void;
  /** A peer has sent the transaction of this key. */
  heard(peer: PeerId, key: string): void;
  /** Wants `onTick` once, so much later. */
  tickAfter(afterMs: Millis): void;
}
