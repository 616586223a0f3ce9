import type { Millis } from '../types/ids.ts';

export interface MempoolConfig {
  /** Most transactions in the pool (CometBFT mempool.size). */
  readonly txsMax: number;
  /** Most bytes of all transactions (CometBFT mempool.max_txs_bytes). */
  readonly bytesMax: number;
  readonly txBytesMax: number;
  /** Most remembered tx hashes (CometBFT mempool.cache_size). */
  readonly cacheMax: number;
  /** A sender's share of a full pool: senders with more give way to those with fewer (geth account-slots). */
  readonly laneSlots: number;
  /** Most non-executable txs of one sender, and of all senders (geth account-queue, global-queue). */
  readonly laneQueuedMax: number;
  readonly queuedMax: number;
  /** How long a sender's txs wait for a missing nonce before they are dropped (geth lifetime). */
  readonly queuedLifetimeMs: Millis;
  /** A replacement must pay at least this many percent more, in both fee fields (geth pricebump). */
  readonly priceBumpPercent: number;
  /**
   * A client's tx is refused if a tx at its price would wait longer than this for a block, judged by the last blocks; 0
   * for never. Peers' txs are taken, since another node has already accepted them from a client.
   */
  readonly maxWaitMs: Millis;
}

export const DEFAULT_MEMPOOL: MempoolConfig = {
  txsMax: 5000,
  bytesMax: 1_073_741_824,
  txBytesMax: 1_048_576,
  cacheMax: 10_000,
  laneSlots: 16,
  laneQueuedMax: 64,
  queuedMax: 1024,
  queuedLifetimeMs: 3 * 60 * 60 * 1000,
  priceBumpPercent: 10,
  maxWaitMs: 0,
};
