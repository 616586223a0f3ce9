import type { EthTx } from '../../../core/app/chain.ts';
import { to0xHex } from '../../../core/lib/bytes.ts';
import type { MempoolConfig } from '../../../core/mempool/config.ts';
import type { PooledSender } from '../../../core/rpc/context.ts';

/**
 * Checks that one pool keeps to its limits of queued transactions (waiting for another nonce), for each sender and in
 * all. A transaction that could run once and is queued again, because the one before it left, does not count.
 */
export class QueueLimits {
  readonly #config: Pick<MempoolConfig, 'laneQueuedMax' | 'queuedMax'>;
  /** The highest nonce of each sender that could run so far. */
  readonly #ran = new Map<string, bigint>();
  /** Transactions queued at an earlier look. By now, those that could run when they came have been announced. */
  readonly #waited = new WeakSet<EthTx>();

  constructor(config: Pick<MempoolConfig, 'laneQueuedMax' | 'queuedMax'>) {
    this.#config = config;
  }

  onPending({ from, nonce }: EthTx): void {
    const sender = to0xHex(from);
    if (nonce > (this.#ran.get(sender) ?? -1n)) this.#ran.set(sender, nonce);
  }

  problemOf(content: readonly PooledSender[]): string | undefined {
    const { laneQueuedMax, queuedMax } = this.#config;
    let all = 0;
    for (const { sender, queued } of content) {
      const name = to0xHex(sender);
      const ran = this.#ran.get(name) ?? -1n;
      const own = queued.filter((tx) => tx.nonce > ran && this.#waited.has(tx)).length;
      for (const tx of queued) this.#waited.add(tx);
      if (own > laneQueuedMax)
        return `holds ${own} transactions of ${name} that wait for an earlier nonce, expected at most ${laneQueuedMax}`;
      all += own;
    }
    return all > queuedMax
      ? `holds ${all} transactions that wait for an earlier nonce, expected at most ${queuedMax}`
      : undefined;
  }
}
