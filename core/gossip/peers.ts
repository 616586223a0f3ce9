import { compareText } from '../lib/bytes.ts';
import { inserted } from '../lib/inserted.ts';
import type { Height, Micros, PeerId } from '../types/ids.ts';
import { STEP } from '../types/messages.ts';
import { type Peer, PeerRound } from './peerRound.ts';

/** All connected peers, sorted by id, so that nothing depends on the order of connections. */
export class Peers {
  #all: readonly Peer[] = [];
  #ids: readonly PeerId[] = [];
  /** Cached because a peer is looked up several times while one of its messages is handled. */
  #last: Peer | undefined;
  readonly #byId = new Map<PeerId, Peer>();

  get all(): readonly Peer[] {
    return this.#all;
  }

  get ids(): readonly PeerId[] {
    return this.#ids;
  }

  get count(): number {
    return this.#all.length;
  }

  /** Highest height that any peer says it works on; 0 without peers. */
  get heightMax(): Height {
    return this.#all.reduce((max, { round }) => Math.max(max, round.height), 0);
  }

  /** Whether every peer says that it waits for this height to begin. */
  areAllWaitingFor(height: Height): boolean {
    return this.#all.every(({ round }) => round.height === height && round.step === STEP.newHeight);
  }

  find(id: PeerId): Peer | undefined {
    if (this.#last?.id !== id) this.#last = this.#byId.get(id);
    return this.#last;
  }

  /** Adds a peer of which nothing is known, even if it was connected before. */
  add(id: PeerId, now: Micros): void {
    this.remove(id);
    const fresh: Peer = {
      id,
      round: new PeerRound(),
      movedAt: now,
      claimedAt: now,
      servedIn: 0,
      prompted: 0,
    };
    this.#byId.set(id, fresh);
    this.#keep(inserted(this.#all, fresh, (peer) => compareText(peer.id, id) > 0));
  }

  remove(id: PeerId): void {
    if (this.#byId.delete(id)) this.#keep(this.#all.filter((peer) => peer.id !== id));
  }

  #keep(all: readonly Peer[]): void {
    this.#all = all;
    this.#ids = all.map(({ id }) => id);
    this.#last = undefined;
  }
}
