import { encodeEvidenceMessage } from '../codec/messages.ts';
import { type Bytes, compareText } from '../lib/bytes.ts';
import { inserted } from '../lib/inserted.ts';
import { type Sizes, USUAL_SIZES } from '../lib/sizes.ts';
import type { Evidence } from '../types/evidence.ts';
import type { Height, Micros, Millis, PeerId } from '../types/ids.ts';
import type { EvidencePool } from './pool.ts';
import { evidenceHeight } from './verify.ts';

const TICK_MS: Millis = 1000;
/** Pending evidence is sent again after this: it may have come too early or been lost. */
const AGAIN_MICROS = 10_000_000;
/** Most messages to one peer at once. */
const BATCH_MAX = 16;

export interface EvidenceGossipOut {
  send(to: readonly PeerId[], evidence: Evidence, bytes: Bytes): void;
  tickAfter(ms: Millis): void;
}

export interface EvidenceGossipOptions {
  readonly pool: EvidencePool;
  /** Height the peer works on; 0 when it has not said. */
  peerHeight(peer: PeerId): Height;
  readonly sizes?: Sizes;
}

/** Sends pending evidence to peers, one piece a message, as soon as they have the block to judge it by. */
export class EvidenceGossip {
  readonly #options: EvidenceGossipOptions;
  /** By peer, sorted by id: when each pending piece was last sent to it or came from it. */
  #peers: readonly { readonly id: PeerId; readonly sent: Map<Evidence, Micros> }[] = [];
  #revision = 0;
  #ticking = false;

  constructor(options: EvidenceGossipOptions) {
    this.#options = options;
  }

  onPeerUp(id: PeerId): void {
    const others = this.#peers.filter((peer) => peer.id !== id);
    this.#peers = inserted(others, { id, sent: new Map() }, (other) => compareText(other.id, id) > 0);
    // Makes the next flush examine all peers again.
    this.#revision = -1;
  }

  onPeerDown(id: PeerId): void {
    this.#peers = this.#peers.filter((peer) => peer.id !== id);
  }

  /** Records that the peer has this evidence, because it sent it. */
  noteFrom(id: PeerId, evidence: Evidence, now: Micros): void {
    const own = this.#options.pool.pendingLike(evidence);
    if (own !== undefined) this.#peers.find((peer) => peer.id === id)?.sent.set(own, now);
  }

  onTick(now: Micros, out: EvidenceGossipOut): void {
    this.#ticking = false;
    this.#spread(now, out);
  }

  /** Called after each input: sends new evidence at once. */
  flush(now: Micros, out: EvidenceGossipOut): void {
    if (this.#revision === this.#options.pool.revision) return;
    this.#spread(now, out);
  }

  #spread(now: Micros, out: EvidenceGossipOut): void {
    const { pool } = this.#options;
    this.#revision = pool.revision;
    const pending = pool.pending();
    for (const peer of this.#peers) {
      if (peer.sent.size > 0) forgetAllBut(peer.sent, pending);
      if (pending.length === 0) continue;
      this.#tell(peer, pending, now, out);
    }
    if (pending.length === 0 || this.#peers.length === 0 || this.#ticking) return;
    this.#ticking = true;
    out.tickAfter(TICK_MS);
  }

  #tell(
    { id, sent }: { readonly id: PeerId; readonly sent: Map<Evidence, Micros> },
    pending: readonly Evidence[],
    now: Micros,
    out: EvidenceGossipOut,
  ): void {
    const height = this.#options.peerHeight(id);
    const batchMax = (this.#options.sizes ?? USUAL_SIZES).atOnce(BATCH_MAX);
    const isDue = (evidence: Evidence): boolean => {
      // The peer has no block of that height yet, or it would call the evidence expired.
      if (height <= evidenceHeight(evidence) || this.#options.pool.isTooOldAt(evidence, height)) return false;
      const last = sent.get(evidence);
      return last === undefined || now - last >= AGAIN_MICROS;
    };
    // The least recently sent comes first; otherwise resending some pieces would starve the others.
    const due = pending.filter(isDue).sort((a, b) => (sent.get(a) ?? 0) - (sent.get(b) ?? 0));
    for (const evidence of due.slice(0, batchMax)) {
      sent.set(evidence, now);
      out.send([id], evidence, encodeEvidenceMessage([evidence]));
    }
  }
}

function forgetAllBut(sent: Map<Evidence, Micros>, pending: readonly Evidence[]): void {
  const kept = new Set(pending);
  for (const evidence of [...sent.keys()]) if (!kept.has(evidence)) sent.delete(evidence);
}
