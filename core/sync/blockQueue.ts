import { encodeBlock } from '../codec/block.ts';
import { headerHash } from '../codec/hashes.ts';
import { PartSet } from '../codec/partSet.ts';
import { type Sizes, USUAL_SIZES } from '../lib/sizes.ts';
import { type Block, type BlockId, equalBlockId } from '../types/block.ts';
import type { Height, Micros, PeerId } from '../types/ids.ts';
import { blockBytes } from './blockBytes.ts';
import { claims, leastBusy, type SyncPeer, type SyncPeers } from './syncPeers.ts';

/** How many heights beyond the next one are requested. */
const AHEAD_MAX = 256;
/** Above this many bytes of waiting and requested blocks, only the next two heights are requested. */
const BYTES_MAX = 64 * 1024 * 1024;
/** After this delay, the next block is requested from another peer. */
const LAG_MICROS = 2_000_000;
const LAGS_MAX = 3;
/** A peer that leaves a request unanswered for this long is given up (CometBFT peerTimeout). */
const TIMEOUT_MICROS = 15_000_000;
/** Most blocks put aside in disputes, to be compared with the blocks that turn out to be decided. */
const SUSPECTS_MAX = 64;

export interface Arrived {
  readonly block: Block;
  readonly peer: PeerId;
  readonly bytes: number;
}

interface Suspect {
  readonly height: Height;
  readonly peer: PeerId;
  readonly blockId: BlockId;
}

export interface BlockAsk {
  readonly peer: PeerId;
  readonly height: Height;
}

/** Requested and arrived blocks, from the next height on, and the peer responsible for each. */
export class BlockQueue {
  readonly #peers: SyncPeers;
  readonly #aheadMax: number;
  readonly #bytesMax: number;
  readonly #arrived = new Map<Height, Arrived>();
  /** By height: the peer whose answer is awaited. */
  readonly #awaited = new Map<Height, PeerId>();
  #bytes = 0;
  /** Assumed size of a requested block: about that of the largest recent one. */
  #expectedBytes = 0;
  /** The height to store next, as of the last call of `wanted`. */
  #next: Height = 0;
  /** All heights up to this one are stored. */
  #settled: Height = 0;
  /** During a dispute this height and the next must come from one and the same peer. */
  #single: { readonly height: Height; readonly peer: PeerId | undefined } | undefined;
  #suspects: readonly Suspect[] = [];

  constructor(peers: SyncPeers, sizes: Sizes = USUAL_SIZES) {
    this.#peers = peers;
    this.#aheadMax = sizes.atOnce(AHEAD_MAX);
    this.#bytesMax = sizes.bytesAtOnce(BYTES_MAX);
  }

  at(height: Height): Arrived | undefined {
    return this.#arrived.get(height);
  }

  /** The requests to send now. They count as sent. */
  wanted(now: Micros, next: Height): readonly BlockAsk[] {
    const asks: BlockAsk[] = [];
    this.#next = next;
    const last = Math.min(this.#peers.heightMax(next), next + this.#aheadMax);
    for (let height = next; height <= last; height++) {
      if (!this.#hasRoom(this.#awaited.size * this.#expectedBytes, height)) break;
      if (this.#arrived.has(height) || this.#awaited.has(height)) continue;
      const peer = this.#pick(height, now);
      if (peer?.allowance.take(now) !== true) continue;
      peer.asked.set(height, now);
      this.#awaited.set(height, peer.id);
      asks.push({ peer: peer.id, height });
    }
    return asks;
  }

  /** The next two heights always have room: nothing moves without them. */
  #hasRoom(bytes: number, height: Height): boolean {
    return height <= this.#next + 1 || this.#bytes + bytes <= this.#bytesMax;
  }

  #pick(height: Height, now: Micros): SyncPeer | undefined {
    const able = this.#peers
      .able(height)
      .filter((peer) => !peer.asked.has(height) && !peer.allowance.isSpent(now));
    const single = this.#single;
    if (single === undefined || (height !== single.height && height !== single.height + 1)) {
      return leastBusy(able);
    }
    const chosen = single.peer === undefined ? undefined : this.#peers.find(single.peer);
    if (chosen !== undefined) return able.find((peer) => peer === chosen);
    const isSuspect = (peer: SyncPeer): boolean => this.#suspects.some(({ peer: id }) => id === peer.id);
    const both = able.filter((peer) => claims(peer, single.height) && claims(peer, single.height + 1));
    const peer = leastBusy(both.filter((one) => !isSuspect(one))) ?? leastBusy(both);
    if (peer !== undefined) this.#single = { height: single.height, peer: peer.id };
    return peer;
  }

  /** Takes a requested block. A late one is kept only if no other peer has answered yet. */
  arrived(peer: SyncPeer, block: Block): void {
    const { height } = block.header;
    peer.asked.delete(height);
    peer.onProbation = false;
    peer.window = Math.min(this.#peers.windowMax, peer.window + 1);
    if (this.#awaited.get(height) === peer.id) this.#awaited.delete(height);
    else if (this.#isDisputed(height)) return;
    if (height <= this.#settled || this.#arrived.has(height)) return;
    const bytes = blockBytes(block);
    this.#expectedBytes = Math.max(bytes, this.#expectedBytes - Math.ceil(this.#expectedBytes / 8));
    // A block larger than the recent ones may find no room. It is requested again later.
    if (!this.#hasRoom(bytes, height)) return;
    this.#arrived.set(height, { block, peer: peer.id, bytes });
    this.#bytes += bytes;
  }

  #isDisputed(height: Height): boolean {
    return (
      this.#single !== undefined && (height === this.#single.height || height === this.#single.height + 1)
    );
  }

  /** The peer says that it does not have the block. False if it was not asked for it. */
  denied(peer: SyncPeer, height: Height): boolean {
    if (!peer.asked.delete(height)) return false;
    if (this.#awaited.get(height) === peer.id) this.#awaited.delete(height);
    if (this.#single?.peer === peer.id) this.#single = { height: this.#single.height, peer: undefined };
    return true;
  }

  /**
   * Peers to give up: those that leave a request unanswered, and those that delayed the next block too often. A peer
   * that delays it less often only loses its requests to faster peers.
   */
  overdue(now: Micros, next: Height): readonly { readonly peer: PeerId; readonly reason: string }[] {
    const useless: { peer: PeerId; reason: string }[] = [];
    for (const peer of this.#peers.all) {
      const oldest = Math.min(...peer.asked.values());
      if (now - oldest >= TIMEOUT_MICROS) {
        useless.push({ peer: peer.id, reason: 'blocksync: no block for 15 s' });
      } else if (this.#isLagging(peer, now, next)) {
        peer.lags++;
        peer.window = 1;
        if (peer.lags >= LAGS_MAX) useless.push({ peer: peer.id, reason: 'blocksync: too slow' });
        else this.#reassign(peer.id);
      }
    }
    return useless;
  }

  #isLagging(peer: SyncPeer, now: Micros, next: Height): boolean {
    for (const height of [next, next + 1]) {
      const since = peer.asked.get(height);
      if (since === undefined || this.#awaited.get(height) !== peer.id || now - since < LAG_MICROS) continue;
      if (this.#peers.able(height).some((other) => other !== peer && !other.asked.has(height))) return true;
    }
    return false;
  }

  #reassign(peer: PeerId): void {
    for (const [height, whose] of [...this.#awaited]) if (whose === peer) this.#awaited.delete(height);
    if (this.#single?.peer === peer) this.#single = { height: this.#single.height, peer: undefined };
  }

  /** The peer is gone or given up: discards its blocks and reopens its requests. */
  release(peer: PeerId): void {
    this.#reassign(peer);
    for (const [height, { peer: from }] of [...this.#arrived]) if (from === peer) this.#remove(height);
  }

  #remove(height: Height): void {
    const arrived = this.#arrived.get(height);
    if (arrived === undefined) return;
    this.#bytes -= arrived.bytes;
    this.#arrived.delete(height);
  }

  /**
   * Blocks `height` and `height + 1` contradict each other. If one peer sent both, it lied and is returned. With two
   * senders either may have lied, so both blocks are put aside and requested again from a single peer.
   */
  mismatch(height: Height, first: Arrived, second: Arrived): PeerId | undefined {
    this.#remove(height);
    this.#remove(height + 1);
    this.#single = { height, peer: undefined };
    if (first.peer === second.peer) return first.peer;
    const suspects = [first, second].map(({ block, peer }, i) => ({
      height: height + i,
      peer,
      blockId: idOf(block),
    }));
    this.#suspects = [...this.#suspects, ...suspects].slice(-SUSPECTS_MAX);
    return undefined;
  }

  /** The height is decided and stored. Returns the peers that sent another block for it. */
  settle(height: Height, blockId: BlockId): readonly PeerId[] {
    this.#remove(height);
    this.#awaited.delete(height);
    this.#settled = height;
    if (this.#single !== undefined && this.#single.height <= height) this.#single = undefined;
    const liars = this.#suspects
      .filter((one) => one.height === height && !equalBlockId(one.blockId, blockId))
      .map(({ peer }) => peer);
    this.#suspects = this.#suspects.filter((one) => one.height > height);
    return [...new Set(liars)];
  }

  clear(): void {
    this.#arrived.clear();
    this.#awaited.clear();
    this.#bytes = 0;
    this.#single = undefined;
    this.#suspects = [];
  }
}

const idOf = (block: Block): BlockId => ({
  hash: headerHash(block.header),
  parts: PartSet.of(encodeBlock(block)).header,
});
