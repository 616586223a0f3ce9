import type { EthTx } from '../../core/app/chain.ts';
import { to0xHex } from '../../core/lib/bytes.ts';
import type { MempoolConfig } from '../../core/mempool/config.ts';
import type { PooledSender } from '../../core/rpc/context.ts';

/**
 * What one pool takes of transactions that wait for another nonce, of one sender and of all. What could run once and waits
 * again, for what came before it went, needed no room among these.
 */
export class QueueLimits {
  readonly #config: Pick<MempoolConfig, 'laneQueuedMax' | 'queuedMax'>;
  /** The last nonce of each sender that could run. */
  readonly #ran = new Map<string, bigint>();
  /** Waiting at an earlier look: by now all that could run when they came has been told of. */
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
      if (own > laneQueuedMax) return `lets ${own} of ${name} wait for another nonce`;
      all += own;
    }
    return all > queuedMax ? `lets ${all} wait for another nonce` : undefined;
  }
}
