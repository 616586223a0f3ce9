import type { Micros, PeerId } from '../types/ids.ts';
import type { BlocksyncMessage } from '../types/messages.ts';
import type { SyncOptions, SyncOut } from './contract.ts';

/** Answers a peer may have in a burst, and a second afterwards: each costs reads and up to a block's bytes. */
const BURST_MAX = 200;
const ANSWERS_PER_SECOND_MAX = 2000;

/** Gives others the blocks that this node has. Always on. */
export class BlockServer {
  readonly #blocks: SyncOptions['blocks'];
  /** Answers left, and when that was counted. */
  readonly #budget = new Map<PeerId, { left: number; at: Micros }>();

  constructor(blocks: SyncOptions['blocks']) {
    this.#blocks = blocks;
  }

  onPeerUp(peer: PeerId, now: Micros, out: SyncOut): void {
    this.#budget.set(peer, { left: BURST_MAX, at: now });
    this.#tellStatus(peer, out);
  }

  onPeerDown(peer: PeerId): void {
    this.#budget.delete(peer);
  }

  onRequest(
    peer: PeerId,
    now: Micros,
    message: Extract<BlocksyncMessage, { kind: 'blockRequest' | 'statusRequest' }>,
    out: SyncOut,
  ): void {
    if (!this.#mayAsk(peer, now)) {
      out.drop(peer, 'blocksync: too many requests');
      return;
    }
    if (message.kind === 'statusRequest') {
      this.#tellStatus(peer, out);
      return;
    }
    const { height } = message;
    const block = height <= this.#blocks.head() ? this.#blocks.block(height) : undefined;
    out.send(
      [peer],
      block === undefined ? { kind: 'noBlockResponse', height } : { kind: 'blockResponse', block },
    );
  }

  #tellStatus(peer: PeerId, out: SyncOut): void {
    out.send([peer], {
      kind: 'statusResponse',
      height: this.#blocks.head(),
      base: Math.min(this.#blocks.base(), this.#blocks.head()),
    });
  }

  #mayAsk(peer: PeerId, now: Micros): boolean {
    const budget = this.#budget.get(peer);
    if (budget === undefined) return false;
    const earned = Math.floor(((now - budget.at) * ANSWERS_PER_SECOND_MAX) / 1_000_000);
    if (earned > 0) {
      budget.left = Math.min(BURST_MAX, budget.left + earned);
      budget.at = now;
    }
    if (budget.left <= 0) return false;
    budget.left--;
    return true;
  }
}
