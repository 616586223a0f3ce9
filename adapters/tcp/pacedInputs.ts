import { decodeTxsMessage, encodeTxsMessage } from '../../core/codec/messages.ts';
import type { Input } from '../../core/node/contract.ts';
import type { PeerId } from '../../core/types/ids.ts';

type Frame = Extract<Input, { kind: 'frame' }>;

/** Transactions delivered per turn of the event loop: each may cost the application a signature recovery. */
const TURN_TXS = 8;
/** A peer with this many waiting frames or bytes is not read until some are handled. */
const PEER_FRAMES_MAX = 1024;
const PEER_BYTES_MAX = 4 << 20;
/** Above these totals, the newest frame of the peer with the most is dropped. Only many flooding peers reach this. */
const FRAMES_MAX = 4096;
const BYTES_MAX = 16 << 20;

interface Waiting {
  readonly frame: Frame;
  readonly txs: number;
}

interface Lane {
  readonly waiting: Waiting[];
  bytes: number;
}

/**
 * Delivers peers' transactions, a few per turn, so that votes and block parts overtake them: checking a flood of
 * transactions in order of arrival would delay the blocks that should include them. A large message is split into
 * pieces. Peers take turns, so flooding peers delay each other and nobody else.
 */
export class PacedInputs {
  readonly #deliver: (frame: Frame) => void;
  /** Peers with waiting frames, in the order of their turns. */
  readonly #lanes = new Map<PeerId, Lane>();
  #frames = 0;
  #bytes = 0;
  #isDue = false;

  constructor(deliver: (frame: Frame) => void) {
    this.#deliver = deliver;
  }

  /** Whether the peer has reached its limit of waiting frames or bytes. */
  isFullOf(peer: PeerId): boolean {
    const lane = this.#lanes.get(peer);
    return lane !== undefined && (lane.waiting.length >= PEER_FRAMES_MAX || lane.bytes >= PEER_BYTES_MAX);
  }

  push(frame: Frame): void {
    const decoded = decodeTxsMessage(frame.bytes);
    const txs = decoded.ok ? decoded.value.txs : [];
    // A message that does not decode is passed on unchanged, so that the node can punish the peer.
    if (txs.length <= TURN_TXS) this.#add({ frame, txs: Math.max(1, txs.length) });
    else {
      for (let at = 0; at < txs.length; at += TURN_TXS) {
        const some = txs.slice(at, at + TURN_TXS);
        this.#add({ frame: { ...frame, bytes: encodeTxsMessage({ txs: some }) }, txs: some.length });
      }
    }
    this.#arm();
  }

  #add(waiting: Waiting): void {
    const { peer, bytes } = waiting.frame;
    const lane = this.#lanes.get(peer) ?? { waiting: [], bytes: 0 };
    lane.waiting.push(waiting);
    lane.bytes += bytes.length;
    this.#lanes.set(peer, lane);
    this.#frames += 1;
    this.#bytes += bytes.length;
    if (this.#frames > FRAMES_MAX) this.#loseOne(({ waiting }) => waiting.length);
    while (this.#bytes > BYTES_MAX) this.#loseOne(({ bytes }) => bytes);
  }

  /** Drops the newest frame of the peer with the most; of equal peers, the one whose turn is last. */
  #loseOne(size: (lane: Lane) => number): void {
    let most: readonly [PeerId, Lane] | undefined;
    for (const entry of this.#lanes) {
      if (most === undefined || size(entry[1]) >= size(most[1])) most = entry;
    }
    if (most !== undefined) this.#take(...most, most[1].waiting.pop());
  }

  #take(peer: PeerId, lane: Lane, taken: Waiting | undefined): void {
    if (taken === undefined) return;
    lane.bytes -= taken.frame.bytes.length;
    this.#bytes -= taken.frame.bytes.length;
    this.#frames -= 1;
    if (lane.waiting.length === 0) this.#lanes.delete(peer);
  }

  #arm(): void {
    if (this.#isDue || this.#lanes.size === 0) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      this.#turn();
      this.#arm();
    });
  }

  #turn(): void {
    let room = TURN_TXS;
    for (const [peer, lane] of this.#lanes) {
      const first = lane.waiting[0];
      if (first === undefined || first.txs > room) return;
      room -= first.txs;
      this.#take(peer, lane, lane.waiting.shift());
      // A peer with more frames goes to the end of the queue, which this loop reaches too.
      if (this.#lanes.delete(peer)) this.#lanes.set(peer, lane);
      this.#deliver(first.frame);
    }
  }
}
