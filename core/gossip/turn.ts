import type { Height, Round } from '../types/ids.ts';
import type { RoundState } from '../types/roundState.ts';
import type { Proposal } from '../types/vote.ts';

/**
 * Counts the changes of what we might have said ourselves. A peer that lacks none of it lacks none of it until something changes,
 * here or with what we believe of the peer: of many peers the tick need not look at each.
 */
export class Turn {
  #count = 1;
  #height: Height = 0;
  #round: Round = -1;
  #commitRound: Round = -1;
  #proposal: Proposal | undefined;

  /** A vote of ours was added. */
  end(): void {
    this.#count++;
  }

  /** Above 0. */
  at({ height, round, commitRound, proposal }: RoundState): number {
    const isSame =
      height === this.#height &&
      round === this.#round &&
      commitRound === this.#commitRound &&
      proposal === this.#proposal;
    if (isSame) return this.#count;
    this.#height = height;
    this.#round = round;
    this.#commitRound = commitRound;
    this.#proposal = proposal;
    return ++this.#count;
  }
}
