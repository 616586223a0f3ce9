import type { Block, BlockId, Commit } from '../types/block.ts';
import type { Height, Micros, Round } from '../types/ids.ts';
import type { PartsReader, RoundState, VoteSetReader } from '../types/roundState.ts';
import { findByAddress, type ValidatorSet } from '../types/validator.ts';
import type { Proposal, VoteType } from '../types/vote.ts';
import type { Engine } from './engine.ts';

type Proposer = RoundState['proposer'];

/** The machine's state for gossip and RPC: always current, read-only. */
export class RoundView implements RoundState {
  readonly #e: Engine;
  #proposer: Proposer | undefined;
  /** The set that `#proposer` was found in. Cached because gossip asks for every peer. */
  #proposerOf: ValidatorSet | undefined;

  constructor(e: Engine) {
    this.#e = e;
  }

  get height(): Height {
    return this.#e.s.height;
  }

  get round(): Round {
    return this.#e.s.round;
  }

  get step(): number {
    return this.#e.s.step;
  }

  get startTime(): Micros {
    return this.#e.s.startTime ?? 0;
  }

  get commitTime(): Micros {
    return this.#e.s.commitTime;
  }

  get validators(): ValidatorSet {
    return this.#e.s.state.validators;
  }

  get proposal(): Proposal | undefined {
    return this.#e.s.proposal;
  }

  get proposalBlock(): Block | undefined {
    return this.#e.s.current?.block;
  }

  get proposalParts(): PartsReader | undefined {
    return this.#e.s.current?.parts;
  }

  get lockedRound(): Round {
    return this.#e.s.lockedRound;
  }

  get lockedBlock(): BlockId | undefined {
    return this.#e.s.locked?.blockId;
  }

  get validRound(): Round {
    return this.#e.s.validRound;
  }

  get validBlock(): BlockId | undefined {
    return this.#e.s.valid?.blockId;
  }

  get commitRound(): Round {
    return this.#e.s.commitRound;
  }

  votes(round: Round, type: VoteType): VoteSetReader | undefined {
    return this.#e.s.votes.peek(round, type);
  }

  get lastPrecommits(): VoteSetReader | undefined {
    return this.#e.s.lastPrecommits;
  }

  get lastCommit(): Commit | undefined {
    return this.#e.s.lastCommit;
  }

  get held(): RoundState['held'] {
    const { locked, valid, precommitTimer, votes } = this.#e.s;
    return { locked, valid, precommitTimer, rounds: votes.rounds };
  }

  get proposer(): Proposer {
    const { roundSet } = this.#e.s;
    if (this.#proposerOf !== roundSet) {
      const { address } = roundSet.proposer;
      this.#proposer = { address, index: findByAddress(roundSet, address)?.index ?? 0 };
      this.#proposerOf = roundSet;
    }
    return this.#proposer as Proposer;
  }
}
