import { compareText } from '../lib/bytes.ts';
import type { Height, Micros, PeerId } from '../types/ids.ts';
import { STEP } from '../types/messages.ts';
import { type Peer, PeerRound } from './peerRound.ts';

/** Everyone that we are connected with, sorted by id, so that the order of connections decides nothing. */
export class Peers {
  #all: readonly Peer[] = [];
  readonly #byId = new Map<PeerId, Peer>();

  get all(): readonly Peer[] {
    return this.#all;
  }

  get ids(): readonly PeerId[] {
    return this.#all.map(({ id }) => id);
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
    return this.#byId.get(id);
  }

  /** Nothing is known of it yet, even if it was here before. */
  add(id: PeerId, now: Micros): void {
    this.remove(id);
    const fresh: Peer = { id, round: new PeerRound(), movedAt: now, claimedAt: now };
    this.#byId.set(id, fresh);
    this.#all = [...this.#all, fresh].sort((a, b) => compareText(a.id, b.id));
  }

  remove(id: PeerId): void {
    if (this.#byId.delete(id)) this.#all = this.#all.filter((peer) => peer.id !== id);
  }
}
