import type { Process } from '../../machine/process.ts';
import type { VotesInMessage } from './votesInMessage.ts';

/** A vote that a peer just said it lacks, while the node still believes that it has it: the vote may be on its way. */
interface Denial {
  readonly node: Process;
  readonly peer: string;
  readonly height: number;
  /** By number (`voteNumber`). */
  readonly vote: number;
  readonly since: number;
}

/** Denials that stay open until the peer is given the vote or says that it has it after all. */
export class DeniedVotes {
  #open: Denial[] = [];

  get isNone(): boolean {
    return this.#open.length === 0;
  }

  add(denial: Denial): void {
    this.#open.push(denial);
  }

  clear(): void {
    this.#open = [];
  }

  forget(node: Process): void {
    this.#open = this.#open.filter((one) => one.node !== node);
  }

  /** The node and these peers named these votes to each other, which settles denials of them. */
  settle(node: Process, peers: readonly string[], { height, votes }: VotesInMessage): void {
    this.#open = this.#open.filter(
      (one) =>
        one.node !== node || !peers.includes(one.peer) || one.height !== height || !votes.includes(one.vote),
    );
  }

  /** Removes and returns a denial from before that time against which the node still believes. */
  takeOlder(node: Process, micros: number): Denial | undefined {
    const late = this.#open.find((one) => one.node === node && one.since < micros);
    if (late !== undefined) this.#open = this.#open.filter((one) => one !== late);
    return late;
  }
}
