import type { Micros, PeerId } from '../types/ids.ts';
import type { BlocksyncMessage } from '../types/messages.ts';
import { Allowance, type AllowanceLimits } from './allowance.ts';
import { blockBytes } from './blockBytes.ts';
import type { SyncOptions, SyncOut } from './contract.ts';

/** Answers that a peer may request: 2000 a second. */
const ANSWERS: AllowanceLimits = { burst: 200, everyMicros: 500 };
/** Reading and encoding a block is charged in units of this many bytes. */
const UNIT_BYTES = 4096;
/** A burst of 64 MiB, then 32 MB a second: several times the default rate of a connection. */
const UNITS: AllowanceLimits = { burst: 16_384, everyMicros: 128 };

interface Served {
  readonly answers: Allowance;
  readonly units: Allowance;
}

/** Serves this node's blocks to peers. Always on. */
export class BlockServer {
  readonly #blocks: SyncOptions['blocks'];
  readonly #served = new Map<PeerId, Served>();

  constructor(blocks: SyncOptions['blocks']) {
    this.#blocks = blocks;
  }

  onPeerUp(peer: PeerId, now: Micros, out: SyncOut): void {
    this.#served.set(peer, { answers: new Allowance(now, ANSWERS), units: new Allowance(now, UNITS) });
    this.#tellStatus(peer, out);
  }

  onPeerDown(peer: PeerId): void {
    this.#served.delete(peer);
  }

  onRequest(
    peer: PeerId,
    now: Micros,
    message: Extract<BlocksyncMessage, { kind: 'blockRequest' | 'statusRequest' }>,
    out: SyncOut,
  ): void {
    const served = this.#served.get(peer);
    if (served?.answers.take(now) !== true) {
      out.drop(peer, 'blocksync: too many requests');
      return;
    }
    if (message.kind === 'statusRequest') {
      this.#tellStatus(peer, out);
      return;
    }
    // As with a full send queue, the peer gets no answer. It is not dropped: it cannot know how large the blocks are.
    if (served.units.isSpent(now)) return;
    const { height } = message;
    const block = height <= this.#blocks.head() ? this.#blocks.block(height) : undefined;
    served.units.charge(block === undefined ? 1 : Math.ceil(blockBytes(block) / UNIT_BYTES));
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
