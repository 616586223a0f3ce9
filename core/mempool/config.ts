import type { Millis } from '../types/ids.ts';

export interface MempoolConfig {
  /** Transactions in the pool (CometBFT mempool.size). */
  readonly txsMax: number;
  /** Bytes of these (CometBFT mempool.max_txs_bytes). */
  readonly bytesMax: number;
  readonly txBytesMax: number;
  /** Remembered tx hashes (CometBFT mempool.cache_size). */
  readonly cacheMax: number;
  /** Executable txs of one sender that nobody else's price or number may drive out (geth account-slots). */
  readonly laneSlots: number;
  /** Non-executable txs of one sender, and of all (geth account-queue, global-queue). */
  readonly laneQueuedMax: number;
  readonly queuedMax: number;
  /** How long a sender's txs wait for an earlier nonce while nothing of that sender moves (geth lifetime). */
  readonly queuedLifetimeMs: Millis;
  /** A replacement must pay at least this much more, in percent, on both fee fields (geth pricebump). */
  readonly priceBumpPercent: number;
  /**
   * A client's tx is refused while one that pays as much would wait longer for a block, as far as the last blocks tell;
   * 0 for never. Peers' txs are taken: their node has said yes to somebody already.
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
