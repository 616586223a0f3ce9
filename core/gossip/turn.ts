import type { Height, Round } from '../types/ids.ts';
import type { RoundState } from '../types/roundState.ts';
import type { Proposal } from '../types/vote.ts';

/**
 * A version counter of everything we have authored. A peer found to lack none of it need not be examined again until
 * the counter or our belief about the peer changes. This saves the tick from examining every one of many peers.
 */
export class Turn {
  #count = 1;
  #height: Height = 0;
  #round: Round = -1;
  #commitRound: Round = -1;
  #proposal: Proposal | undefined;

  /** We cast a vote. */
  end(): void {
    this.#count++;
  }

  /** The current count, above 0. */
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
