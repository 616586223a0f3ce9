import type { Process } from '../machine/process.ts';
import type { SaidVotes } from './saidVotes.ts';

/** A vote that a peer has just said it lacks, and that the node goes on believing in: it may be on its way to the peer. */
interface Denial {
  readonly node: Process;
  readonly peer: string;
  readonly height: number;
  /** By number (`voteNumber`). */
  readonly vote: number;
  readonly since: number;
}

/** What peers have denied to have, until they are given it or say that they have it after all. */
export class Denials {
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

  /** Between the node and these peers that was said. */
  settle(node: Process, peers: readonly string[], { height, votes }: SaidVotes): void {
    this.#open = this.#open.filter(
      (one) =>
        one.node !== node || !peers.includes(one.peer) || one.height !== height || !votes.includes(one.vote),
    );
  }

  /** Takes out one that the node has believed against since before then. */
  takeOlder(node: Process, micros: number): Denial | undefined {
    const late = this.#open.find((one) => one.node === node && one.since < micros);
    if (late !== undefined) this.#open = this.#open.filter((one) => one !== late);
    return late;
  }
}
