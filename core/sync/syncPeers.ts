import { compareText } from '../lib/bytes.ts';
import { type Sizes, USUAL_SIZES } from '../lib/sizes.ts';
import type { Height, Micros, PeerId } from '../types/ids.ts';
import { Allowance, type AllowanceLimits } from './allowance.ts';

/** CometBFT maxPendingRequestsPerPeer. */
export const WINDOW_MAX = 20;
/** Requests to one peer, 1000 a second: half of what a peer answers (`server.ts`), so that no clock or network makes it too many. */
const REQUESTS: AllowanceLimits = { burst: 100, everyMicros: 1000 };
/** Peers that are remembered as liars or as silent. */
const REMEMBERED_MAX = 1024;
/** A liar is asked for nothing for so long (CometBFT, blocksync pool): its lie may have been a fault of its drive that is mended. */
const BAN_MICROS = 60_000_000;

export interface SyncPeer {
  readonly id: PeerId;
  readonly since: Micros;
  /** What it says it has; undefined until it has answered. */
  claim: { readonly base: Height; readonly height: Height } | undefined;
  /** Heights asked of it and not answered, with the time of asking. Late ones of a slow peer included. */
  readonly asked: Map<Height, Micros>;
  readonly allowance: Allowance;
  /** How many may wait: 20, or 1 for a peer that kept everyone waiting, and then one more with each block that it sends. */
  window: number;
  /** How often the next block had to be asked of someone else because this peer did not send it. */
  lags: number;
  /** It was given up before and has not sent a block since: what it claims counts only where nobody else has anything. */
  onProbation: boolean;
  /** Times it had no block of a height that it had claimed. */
  denials: number;
}

/** Who may be asked for blocks. Sorted by id, so that the order of connections decides nothing. */
export class SyncPeers {
  /** Requests that wait for one peer at once. */
  readonly windowMax: number;
  #peers: readonly SyncPeer[] = [];
  /** Given up once, for a lie at this time or for silence: they are asked again, for one block at a time. */
  readonly #doubtful = new Map<PeerId, { readonly liedAt: Micros | undefined }>();
  /** Connected, and banned when they came. */
  readonly #refused = new Set<PeerId>();

  constructor(sizes: Sizes = USUAL_SIZES) {
    this.windowMax = sizes.atOnce(WINDOW_MAX);
  }

  get all(): readonly SyncPeer[] {
    return this.#peers;
  }

  get ids(): readonly PeerId[] {
    return this.#peers.map((peer) => peer.id);
  }

  find(id: PeerId): SyncPeer | undefined {
    return this.#peers.find((peer) => peer.id === id);
  }

  /** False while the peer is banned: `forgive` adds it later. */
  add(id: PeerId, now: Micros): boolean {
    if (this.#isBanned(id, now)) {
      this.#refused.add(id);
      return false;
    }
    const fresh: SyncPeer = {
      id,
      since: now,
      claim: undefined,
      asked: new Map(),
      allowance: new Allowance(now, REQUESTS),
      window: this.#doubtful.has(id) ? 1 : this.windowMax,
      lags: 0,
      onProbation: this.#doubtful.has(id),
      denials: 0,
    };
    const others = this.#peers.filter((peer) => peer.id !== id);
    this.#peers = [...others, fresh].sort((a, b) => compareText(a.id, b.id));
    return true;
  }

  /** Adds the connected peers whose ban is over. */
  forgive(now: Micros): void {
    const refused = [...this.#refused];
    this.#refused.clear();
    for (const id of refused) this.add(id, now);
  }

  /** A clock that was set back makes no ban longer. */
  #isBanned(id: PeerId, now: Micros): boolean {
    const since = this.#doubtful.get(id)?.liedAt;
    return since !== undefined && since <= now && now < since + BAN_MICROS;
  }

  remove(id: PeerId): void {
    this.#refused.delete(id);
    this.#peers = this.#peers.filter((peer) => peer.id !== id);
  }

  ban(id: PeerId, now: Micros): void {
    this.#giveUp(id, now);
  }

  /** Nothing came from it, and whose fault that was nobody knows. */
  giveUp(id: PeerId): void {
    this.#giveUp(id, undefined);
  }

  #giveUp(id: PeerId, liedAt: Micros | undefined): void {
    this.remove(id);
    // Whoever was given up longest ago makes room; this one, if it was before, makes its own.
    this.#doubtful.delete(id);
    const [oldest] = this.#doubtful.keys();
    if (oldest !== undefined && this.#doubtful.size >= REMEMBERED_MAX) this.#doubtful.delete(oldest);
    this.#doubtful.set(id, { liedAt });
  }

  /** Highest claim of those that can help from `next` on; 0 without any. */
  heightMax(next: Height): Height {
    let max = 0;
    let claimed = 0;
    for (const { claim, onProbation } of this.#peers) {
      if (claim === undefined || claim.base > next) continue;
      claimed = Math.max(claimed, claim.height);
      if (!onProbation) max = Math.max(max, claim.height);
    }
    return max === 0 ? claimed : max;
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
