import { present } from '../lib/assert.ts';
import type { BlockId } from '../types/block.ts';
import type { Height, PeerId, Round } from '../types/ids.ts';
import type { ValidatorSet } from '../types/validator.ts';
import type { Vote, VoteType } from '../types/vote.ts';
import { isOneThird } from './quorum.ts';
import { VoteSet } from './voteSet.ts';

/** Rounds ahead of ours that one peer may open with its votes. */
export const CATCHUP_ROUNDS_MAX = 2;
/** Peers that may open rounds in one height. */
export const CATCHUP_PEERS_MAX = 256;

interface RoundVotes {
  readonly prevotes: VoteSet;
  readonly precommits: VoteSet;
  /** Of distinct validators with a vote of either type. */
  power: bigint;
}

/** All votes of one height. Rounds up to the next are open to all; later ones within each peer's allowance. */
export class HeightVotes {
  readonly #height: Height;
  readonly #validators: ValidatorSet;
  readonly #rounds = new Map<Round, RoundVotes>();
  readonly #opened = new Map<PeerId, readonly Round[]>();
  /** The round in which a peer says that a block was decided, until a vote of it has come from there. */
  readonly #decisions = new Map<PeerId, Round | 'opened'>();
  /** The first round with two thirds of precommits for a block. */
  #commit: { readonly round: Round; readonly blockId: BlockId } | undefined;
  /** Highest round with more than a third of the power (L55). */
  #skipRound: Round = -1;

  constructor(height: Height, validators: ValidatorSet) {
    this.#height = height;
    this.#validators = validators;
  }

  #open(round: Round): RoundVotes {
    let votes = this.#rounds.get(round);
    if (votes === undefined) {
      votes = {
        prevotes: new VoteSet(this.#height, round, 'prevote', this.#validators),
        precommits: new VoteSet(this.#height, round, 'precommit', this.#validators),
        power: 0n,
      };
      this.#rounds.set(round, votes);
    }
    return votes;
  }

  peek(round: Round, type: VoteType): VoteSet | undefined {
    const votes = this.#rounds.get(round);
    return type === 'prevote' ? votes?.prevotes : votes?.precommits;
  }

  prevotes(round: Round): VoteSet {
    return this.#open(round).prevotes;
  }

  precommits(round: Round): VoteSet {
    return this.#open(round).precommits;
  }

  get commit(): { readonly round: Round; readonly blockId: BlockId } | undefined {
    return this.#commit;
  }

  /** Rounds with a place for votes. */
  get rounds(): number {
    return this.#rounds.size;
  }

  get skipRound(): Round {
    return this.#skipRound;
  }

  /** Whether a vote of `round` may be looked at while we are in `current`; see also `openFor`. */
  isOpen(round: Round, current: Round): boolean {
    return round <= current + 1 || this.#rounds.has(round);
  }

  /**
   * Whether the peer may spend one of its catch-up rounds on `round`, or said that it decided (`claimDecision`). What it
   * opened and we have come to is no longer a catch-up round.
   */
  mayOpen(peer: PeerId, round: Round, current: Round): boolean {
    if (this.#decisions.get(peer) === round) return true;
    const opened = this.#opened.get(peer);
    if (opened === undefined) return this.#opened.size < CATCHUP_PEERS_MAX;
    return opened.filter((one) => one > current).length < CATCHUP_ROUNDS_MAX;
  }

  /**
   * Only after the signature of a vote for it was found good. Claims are not in the log: in a replay a round beyond the
   * allowance is one that had been claimed.
   */
  openFor(peer: PeerId, round: Round, current: Round): void {
    const ahead = (this.#opened.get(peer) ?? []).filter((one) => one > current);
    const isClaimed = this.#decisions.get(peer) === round || ahead.length >= CATCHUP_ROUNDS_MAX;
    if (isClaimed) this.#decisions.set(peer, 'opened');
    else this.#opened.set(peer, [...ahead, round]);
    this.#open(round);
  }

  /**
   * The peer says that this height was decided in `round`. Votes of one such round may come from it beside the catch-up
   * rounds: those it may have spent while it went through many rounds without us.
   */
  claimDecision(peer: PeerId, round: Round): void {
    const known = this.#decisions.get(peer);
    if (known === 'opened') return;
    if (known === undefined && this.#decisions.size >= CATCHUP_PEERS_MAX && !this.#forgetDecision()) return;
    this.#decisions.set(peer, round);
  }

  /** The oldest claim that no vote has followed makes room: peers say it again, and whoever makes claims up cannot fill the table. */
  #forgetDecision(): boolean {
    for (const [peer, round] of this.#decisions) if (round !== 'opened') return this.#decisions.delete(peer);
    return false;
  }

  /** The set a vote belongs to; opens it when the round is allowed (`isOpen`). */
  setOf(round: Round, type: VoteType): VoteSet {
    const votes = this.#open(round);
    return type === 'prevote' ? votes.prevotes : votes.precommits;
  }

  /** Adds a judged and verified vote. */
  add(vote: Vote): void {
    const votes = this.#open(vote.round);
    const { prevotes, precommits } = votes;
    const index = vote.validatorIndex;
    const isFirst = !prevotes.bits.has(index) && !precommits.bits.has(index);
    const set = vote.type === 'prevote' ? prevotes : precommits;
    set.add(vote);
    if (isFirst) {
      votes.power += present(this.#validators.validators[index], 'vote was judged').power;
      if (vote.round > this.#skipRound && isOneThird(votes.power, this.#validators.totalPower)) {
        this.#skipRound = vote.round;
      }
    }
    if (vote.type === 'precommit' && this.#commit === undefined && set.hasBlockMajority()) {
      this.#commit = { round: vote.round, blockId: present(set.majority(), 'has a majority') };
    }
  }
}
