import type { Micros, PeerId } from '../types/ids.ts';
import type { BlocksyncMessage } from '../types/messages.ts';
import { Allowance, type AllowanceLimits } from './allowance.ts';
import type { SyncOptions, SyncOut } from './contract.ts';

/** Answers a peer may have, 2000 a second: each costs reads and up to a block's bytes. */
const ANSWERS: AllowanceLimits = { burst: 200, everyMicros: 500 };

/** Gives others the blocks that this node has. Always on. */
export class BlockServer {
  readonly #blocks: SyncOptions['blocks'];
  readonly #allowances = new Map<PeerId, Allowance>();

  constructor(blocks: SyncOptions['blocks']) {
    this.#blocks = blocks;
  }

  onPeerUp(peer: PeerId, now: Micros, out: SyncOut): void {
    this.#allowances.set(peer, new Allowance(now, ANSWERS));
    this.#tellStatus(peer, out);
  }

  onPeerDown(peer: PeerId): void {
    this.#allowances.delete(peer);
  }

  onRequest(
    peer: PeerId,
    now: Micros,
    message: Extract<BlocksyncMessage, { kind: 'blockRequest' | 'statusRequest' }>,
    out: SyncOut,
  ): void {
    if (this.#allowances.get(peer)?.take(now) !== true) {
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
}
