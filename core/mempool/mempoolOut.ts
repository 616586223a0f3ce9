import type { AppAsk } from '../types/app.ts';
import type { Millis, PeerId } from '../types/ids.ts';
import type { SubmitResult } from '../types/submit.ts';
import type { PoolTx } from './lane.ts';

/** Receives what the mempool wants done. */
export interface MempoolOut {
  check(call: number, ask: Extract<AppAsk, { kind: 'checkTx' }>): void;
  reply(call: number, result: SubmitResult): void;
  pending(tx: PoolTx): void;
  /** The tx is new in the pool: send it to peers. */
  gossip(tx: PoolTx): void;
  /** A peer has sent the transaction of this key. */
  heard(peer: PeerId, key: string): void;
  /** Calls `onTick` once, after this delay. */
  tickAfter(afterMs: Millis): void;
}
