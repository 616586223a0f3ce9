import { compareText } from '../lib/bytes.ts';
import type { Height, Micros, PeerId } from '../types/ids.ts';

/** Requests that wait for one peer at once (CometBFT maxPendingRequestsPerPeer). */
export const WINDOW_MAX = 20;
/** Peers that proved bad and are not asked again before the next start. */
const BANNED_MAX = 1024;

export interface SyncPeer {
  readonly id: PeerId;
  readonly since: Micros;
  /** What it says it has; undefined until it has answered. */
  claim: { readonly base: Height; readonly height: Height } | undefined;
  /** Heights asked of it and not answered, with the time of asking. Late ones of a slow peer included. */
  readonly asked: Map<Height, Micros>;
  /** How many may wait: 20, or 1 for a peer that once kept everyone waiting. */
  window: number;
  /** How often the next block had to be asked of someone else because this peer did not send it. */
  lags: number;
  /** Times it had no block of a height that it had claimed. */
  denials: number;
}

/** Who may be asked for blocks. Sorted by id, so that the order of connections decides nothing. */
export class SyncPeers {
  #peers: readonly SyncPeer[] = [];
  readonly #banned = new Set<PeerId>();

  get all(): readonly SyncPeer[] {
    return this.#peers;
  }

  get ids(): readonly PeerId[] {
    return this.#peers.map((peer) => peer.id);
  }

  find(id: PeerId): SyncPeer | undefined {
    return this.#peers.find((peer) => peer.id === id);
  }

  /** False when the peer was banned. */
  add(id: PeerId, now: Micros): boolean {
    if (this.#banned.has(id)) return false;
    const fresh: SyncPeer = {
      id,
      since: now,
      claim: undefined,
      asked: new Map(),
      window: WINDOW_MAX,
      lags: 0,
      denials: 0,
    };
    const others = this.#peers.filter((peer) => peer.id !== id);
    this.#peers = [...others, fresh].sort((a, b) => compareText(a.id, b.id));
    return true;
  }

  remove(id: PeerId): void {
    this.#peers = this.#peers.filter((peer) => peer.id !== id);
  }

  ban(id: PeerId): void {
    this.remove(id);
    if (this.#banned.size >= BANNED_MAX) {
      for (const oldest of this.#banned) {
        this.#banned.delete(oldest);
        break;
      }
    }
    this.#banned.add(id);
  }

  /** Highest claim of those that can help from `next` on; 0 without any. */
  heightMax(next: Height): Height {
    let max = 0;
    for (const { claim } of this.#peers) {
      if (claim !== undefined && claim.base <= next) max = Math.max(max, claim.height);
    }
    return max;
  }

  /** Those that claim the height and have room for a request. */
  able(height: Height): readonly SyncPeer[] {
    return this.#peers.filter((peer) => claims(peer, height) && peer.asked.size < peer.window);
  }
}

export const claims = ({ claim }: SyncPeer, height: Height): boolean =>
  claim !== undefined && claim.base <= height && height <= claim.height;

/** The least busy; of equals the first by id. */
export function leastBusy(peers: readonly SyncPeer[]): SyncPeer | undefined {
  let best: SyncPeer | undefined;
  for (const peer of peers) {
    if (best === undefined || peer.asked.size < best.asked.size) best = peer;
  }
  return best;
}
