import { decodeTxsMessage, encodeTxsMessage } from '../../core/codec/messages.ts';
import type { Input } from '../../core/node/contract.ts';
import type { PeerId } from '../../core/types/ids.ts';

type Frame = Extract<Input, { kind: 'frame' }>;

/** Transactions handed on in one turn of the event loop: each may cost the application a signature to recover. */
const TURN_TXS = 8;
/** A peer of whom so much waits is not read from until some of it is handled. */
const PEER_FRAMES_MAX = 1024;
const PEER_BYTES_MAX = 4 << 20;
/** What waits beyond these is lost: only many who flood at once get so far. */
const FRAMES_MAX = 4096;
const BYTES_MAX = 16 << 20;

interface Waiting {
  readonly frame: Frame;
  readonly txs: number;
}

/**
 * Transactions from peers, a few a turn, so that votes and parts pass them: checking a flood of transactions in the
 * order of arrival would hold up the blocks that are to take them in. A message with many is cut to such pieces.
 */
export class PacedInputs {
  readonly #deliver: (frame: Frame) => void;
  readonly #ofPeer = new Map<PeerId, { frames: number; bytes: number }>();
  #queue: Waiting[] = [];
  #bytes = 0;
  #isDue = false;

  constructor(deliver: (frame: Frame) => void) {
    this.#deliver = deliver;
  }

  /** Whether as much of this peer waits as may. */
  isFullOf(peer: PeerId): boolean {
    const { frames, bytes } = this.#ofPeer.get(peer) ?? { frames: 0, bytes: 0 };
    return frames >= PEER_FRAMES_MAX || bytes >= PEER_BYTES_MAX;
  }

  push(frame: Frame): void {
    if (this.#bytes + frame.bytes.length > BYTES_MAX) return;
    const decoded = decodeTxsMessage(frame.bytes);
    const txs = decoded.ok ? decoded.value.txs : [];
    // What does not decode goes on as it is, for the node to find fault with.
    if (txs.length <= TURN_TXS) this.#add(frame, txs.length);
    else {
      for (let at = 0; at < txs.length; at += TURN_TXS) {
        const some = txs.slice(at, at + TURN_TXS);
        this.#add({ ...frame, bytes: encodeTxsMessage({ txs: some }) }, some.length);
      }
    }
    this.#arm();
  }

  #add(frame: Frame, txs: number): void {
    if (this.#queue.length >= FRAMES_MAX) return;
    this.#queue.push({ frame, txs: Math.max(1, txs) });
    this.#count(frame, 1);
  }

  #count({ peer, bytes }: Frame, sign: 1 | -1): void {
    const share = this.#ofPeer.get(peer) ?? { frames: 0, bytes: 0 };
    share.frames += sign;
    share.bytes += sign * bytes.length;
    this.#bytes += sign * bytes.length;
    if (share.frames === 0) this.#ofPeer.delete(peer);
    else this.#ofPeer.set(peer, share);
  }

  #arm(): void {
    if (this.#isDue || this.#queue.length === 0) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      let [count, txs] = [0, 0];
      for (const waiting of this.#queue) {
        if (txs + waiting.txs > TURN_TXS) break;
        txs += waiting.txs;
        count += 1;
      }
      for (const { frame } of this.#queue.splice(0, Math.max(1, count))) {
        this.#count(frame, -1);
        this.#deliver(frame);
      }
      this.#arm();
    });
  }
}
