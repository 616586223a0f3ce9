import { compareText } from '../lib/bytes.ts';
import { type Sizes, USUAL_SIZES } from '../lib/sizes.ts';
import type { Height, Micros, PeerId } from '../types/ids.ts';
import { Allowance, type AllowanceLimits } from './allowance.ts';

/** CometBFT maxPendingRequestsPerPeer. */
export const WINDOW_MAX = 20;
/** Requests to one peer: 1000 a second. Peers answer twice as many (server.ts), to allow for clocks and network. */
const REQUESTS: AllowanceLimits = { burst: 100, everyMicros: 1000 };
/** Most peers that are remembered as liars or as silent. */
const REMEMBERED_MAX = 1024;
/** How long a liar is not asked (CometBFT, blocksync pool). Its lie may come from a disk fault that gets repaired. */
const BAN_MICROS = 60_000_000;

export interface SyncPeer {
  readonly id: PeerId;
  readonly since: Micros;
  /** The heights that it says it has; undefined until it has answered. */
  claim: { readonly base: Height; readonly height: Height } | undefined;
  /** Unanswered requests by height, with the time of asking. They include those that another peer has taken over. */
  readonly asked: Map<Height, Micros>;
  readonly allowance: Allowance;
  /** Most open requests to it: 1 after it was given up or lagged, then one more for each block that it sends. */
  window: number;
  /** How often it delayed the next block so long that another peer was asked. */
  lags: number;
  /** It was given up before and has sent no block since. Its claim counts only if there is no other. */
  onProbation: boolean;
  /** How often it had no block at a height that it had claimed. */
  denials: number;
}

/** The peers that may be asked for blocks, sorted by id so that the order of connections decides nothing. */
export class SyncPeers {
  /** Most requests that may wait for one peer at once. */
  readonly windowMax: number;
  #peers: readonly SyncPeer[] = [];
  /** Peers given up before, for a lie at `liedAt` or for silence. They are asked again, for one block at a time. */
  readonly #doubtful = new Map<PeerId, { readonly liedAt: Micros | undefined }>();
  /** Connected peers that were banned when they connected. */
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

  /** False while the peer is banned; `forgive` adds it later. */
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

  /** Adds the connected peers whose ban has ended. */
  forgive(now: Micros): void {
    const refused = [...this.#refused];
    this.#refused.clear();
    for (const id of refused) this.add(id, now);
  }

  #isBanned(id: PeerId, now: Micros): boolean {
    const since = this.#doubtful.get(id)?.liedAt;
    return since !== undefined && now < since + BAN_MICROS;
  }

  remove(id: PeerId): void {
    this.#refused.delete(id);
    this.#peers = this.#peers.filter((peer) => peer.id !== id);
  }

  ban(id: PeerId, now: Micros): void {
    this.#giveUp(id, now);
  }

  /** The peer has sent nothing, and it is not known whose fault that was. */
  giveUp(id: PeerId): void {
    this.#giveUp(id, undefined);
  }

  #giveUp(id: PeerId, liedAt: Micros | undefined): void {
    this.remove(id);
    // The peer given up longest ago makes room, unless this peer is already in the map.
    this.#doubtful.delete(id);
    const [oldest] = this.#doubtful.keys();
    if (oldest !== undefined && this.#doubtful.size >= REMEMBERED_MAX) this.#doubtful.delete(oldest);
    this.#doubtful.set(id, { liedAt });
  }

  /** Highest claim of the peers that have block `next`; 0 without one. */
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

  /** The peers that claim the height and have room for another request. */
  able(height: Height): readonly SyncPeer[] {
    return this.#peers.filter((peer) => claims(peer, height) && peer.asked.size < peer.window);
  }
}

export const claims = ({ claim }: SyncPeer, height: Height): boolean =>
  claim !== undefined && claim.base <= height && height <= claim.height;

/** The peer with the fewest open requests; on a tie, the first by id. */
export function leastBusy(peers: readonly SyncPeer[]): SyncPeer | undefined {
  let best: SyncPeer | undefined;
  for (const peer of peers) {
    if (best === undefined || peer.asked.size < best.asked.size) best = peer;
  }
  return best;
}
