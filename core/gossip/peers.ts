import { compareText } from '../lib/bytes.ts';
import { inserted } from '../lib/inserted.ts';
import type { Height, Micros, PeerId } from '../types/ids.ts';
import { STEP } from '../types/messages.ts';
import { type Peer, PeerRound } from './peerRound.ts';

/** Everyone that we are connected with, sorted by id, so that the order of connections decides nothing. */
export class Peers {
  #all: readonly Peer[] = [];
  #ids: readonly PeerId[] = [];
  /** Asked for several times while a message of it is handled. */
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

  /** Highest height any of them says it works on; 0 without peers. */
  get heightMax(): Height {
    return this.#all.reduce((max, { round }) => Math.max(max, round.height), 0);
  }

  /** Everyone says that it waits for this height to begin. */
  areAllWaitingFor(height: Height): boolean {
    return this.#all.every(({ round }) => round.height === height && round.step === STEP.newHeight);
  }

  find(id: PeerId): Peer | undefined {
    if (this.#last?.id !== id) this.#last = this.#byId.get(id);
    return this.#last;
  }

  /** Nothing is known of it yet, even if it was here before. */
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
