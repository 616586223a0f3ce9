import { present } from '../lib/assert.ts';
import type { BlockId } from '../types/block.ts';
import type { Height, PeerId, Round } from '../types/ids.ts';
import type { ValidatorSet } from '../types/validator.ts';
import type { Vote, VoteType } from '../types/vote.ts';
import { isOneThird } from './quorum.ts';
import { VoteSet } from './voteSet.ts';

/** Most future rounds that one peer may open with its votes. */
export const CATCHUP_ROUNDS_MAX = 2;
/** Most peers that may open rounds in one height. */
export const CATCHUP_PEERS_MAX = 256;

interface RoundVotes {
  readonly prevotes: VoteSet;
  readonly precommits: VoteSet;
  /** Power of all validators with a vote of either type in this round. */
  power: bigint;
}

/** All votes of one height. Any peer's votes count up to the next round; later rounds use up its allowance. */
export class HeightVotes {
  readonly #height: Height;
  readonly #validators: ValidatorSet;
  readonly #rounds = new Map<Round, RoundVotes>();
  readonly #opened = new Map<PeerId, readonly Round[]>();
  /** By peer: the round in which it says the block was decided, or 'opened' once it has sent a vote of that round. */
  readonly #decisions = new Map<PeerId, Round | 'opened'>();
  /** The first round in which more than two thirds precommitted a block. */
  #commit: { readonly round: Round; readonly blockId: BlockId } | undefined;
  /** Highest round in which more than a third of the power has voted (L55). */
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

  get commit(): { readonly round: Round; readonly blockId: BlockId } | undefined {
    return this.#commit;
  }

  /** Number of rounds for which vote sets exist. */
  get rounds(): number {
    return this.#rounds.size;
  }

  get skipRound(): Round {
    return this.#skipRound;
  }

  /** Whether any peer's vote of `round` is taken while we are in round `current`; see also `mayOpen`. */
  isOpen(round: Round, current: Round): boolean {
    return round <= current + 1 || this.#rounds.has(round);
  }

  /**
   * Whether a vote from `peer` may open `round`: because the peer claims that `round` decided (`claimDecision`), or
   * because it has a catch-up round left. A round that we have reached no longer counts as one of its catch-up rounds.
   */
  mayOpen(peer: PeerId, round: Round, current: Round): boolean {
    if (this.#decisions.get(peer) === round) return true;
    const opened = this.#opened.get(peer);
    if (opened === undefined) return this.#opened.size < CATCHUP_PEERS_MAX;
    return opened.filter((one) => one > current).length < CATCHUP_ROUNDS_MAX;
  }

  /**
   * Call only after the signature of a vote of `round` has been verified. Claims are not in the log: in a replay, a
   * round beyond the peer's allowance must have been claimed.
   */
  openFor(peer: PeerId, round: Round, current: Round): void {
    const ahead = (this.#opened.get(peer) ?? []).filter((one) => one > current);
    const isClaimed = this.#decisions.get(peer) === round || ahead.length >= CATCHUP_ROUNDS_MAX;
    if (isClaimed) this.#decisions.set(peer, 'opened');
    else this.#opened.set(peer, [...ahead, round]);
    this.#open(round);
  }

  /**
   * The peer says that this height was decided in `round`. Its votes of one such round are taken beyond its catch-up
   * rounds, which it may have used up while it went through many rounds without us.
   */
  claimDecision(peer: PeerId, round: Round): void {
    const known = this.#decisions.get(peer);
    if (known === 'opened') return;
    if (known === undefined && this.#decisions.size >= CATCHUP_PEERS_MAX && !this.#forgetDecision()) return;
    this.#decisions.set(peer, round);
  }

  /** Makes room by forgetting the oldest claim without a vote. Honest peers repeat their claims, so invented ones cannot fill the table. */
  #forgetDecision(): boolean {
    for (const [peer, round] of this.#decisions) if (round !== 'opened') return this.#decisions.delete(peer);
    return false;
  }

  /** The set a vote belongs to, created if needed. The round must be open (`isOpen`). */
  setOf(round: Round, type: VoteType): VoteSet {
    const votes = this.#open(round);
    return type === 'prevote' ? votes.prevotes : votes.precommits;
  }

  /** Adds a vote that `judge` has admitted and whose signature is good. */
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
