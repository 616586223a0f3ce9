import { assert, present } from '../lib/assert.ts';
import { BitSet } from '../lib/bitset.ts';
import { equalBytes } from '../lib/bytes.ts';
import { type BlockId, type BlockIdFlag, equalBlockId, isZeroBlockId } from '../types/block.ts';
import type { Height, PeerId, Round } from '../types/ids.ts';
import type { VoteSetReader } from '../types/roundState.ts';
import type { ValidatorSet } from '../types/validator.ts';
import type { Vote, VoteType } from '../types/vote.ts';
import { isQuorum } from './quorum.ts';

/** Most peers whose majority claims one set remembers. */
export const CLAIMS_MAX = 256;

/** The flag of a precommit in a commit for `blockId`. A vote for another block counts as absent. */
export const flagOf = (vote: Vote, blockId: BlockId): BlockIdFlag =>
  equalBlockId(vote.blockId, blockId) ? 'commit' : isZeroBlockId(vote.blockId) ? 'nil' : 'absent';

/** Votes for one value. `claimed`: a peer says that it has two thirds, so conflicting votes for it count too. */
interface Tally {
  readonly blockId: BlockId;
  readonly bits: BitSet;
  readonly votes: (Vote | undefined)[];
  power: bigint;
  claimed: boolean;
}

/** The effect of adding a vote, known before its signature is verified. */
export type VoteVerdict =
  | { readonly kind: 'fresh' }
  /** The validator has voted for another value. `counts`: a peer claims two thirds for the new value. */
  | { readonly kind: 'conflict'; readonly with: Vote; readonly counts: boolean; readonly reported: boolean }
  /** We already have this validator's vote for this value, perhaps with another time or signature. */
  | { readonly kind: 'duplicate' }
  /** The vote does not belong to this set, or its address does not match its index. */
  | { readonly kind: 'refused'; readonly reason: string };

const FRESH: VoteVerdict = { kind: 'fresh' };
const DUPLICATE: VoteVerdict = { kind: 'duplicate' };

/**
 * Votes of one (height, round, type). The first vote of a validator is kept. A later vote for another value counts only
 * if some peer claims a majority for that value. So a proven two thirds is never missed, and an equivocator cannot fill
 * memory: at most validators + CLAIMS_MAX values are tracked.
 */
export class VoteSet implements VoteSetReader {
  readonly height: Height;
  readonly round: Round;
  readonly type: VoteType;
  readonly bits: BitSet;
  readonly #validators: ValidatorSet;
  readonly #votes: (Vote | undefined)[];
  readonly #tallies: Tally[] = [];
  readonly #claims = new Map<PeerId, BlockId>();
  readonly #equivocators: BitSet;
  #power = 0n;
  /** Whether more than two thirds of the power has voted, for any values. */
  #isTwoThirds = false;
  #majority: BlockId | undefined;

  constructor(height: Height, round: Round, type: VoteType, validators: ValidatorSet) {
    const size = validators.validators.length;
    this.height = height;
    this.round = round;
    this.type = type;
    this.bits = new BitSet(size);
    this.#validators = validators;
    this.#votes = new Array<Vote | undefined>(size).fill(undefined);
    this.#equivocators = new BitSet(size);
  }

  get validators(): ValidatorSet {
    return this.#validators;
  }

  vote(index: number): Vote | undefined {
    return this.#votes[index];
  }

  majority(): BlockId | undefined {
    return this.#majority;
  }

  hasTwoThirdsAny(): boolean {
    return this.#isTwoThirds;
  }

  /** Every validator has voted. */
  isFull(): boolean {
    return this.bits.isFull();
  }

  bitsFor(blockId: BlockId): BitSet {
    return this.#tally(blockId)?.bits.clone() ?? new BitSet(this.bits.size);
  }

  #tally(blockId: BlockId): Tally | undefined {
    for (const tally of this.#tallies) if (equalBlockId(tally.blockId, blockId)) return tally;
    return undefined;
  }

  /** Checks everything but the signature. */
  judge(vote: Vote): VoteVerdict {
    if (vote.height !== this.height || vote.round !== this.round || vote.type !== this.type) {
      return { kind: 'refused', reason: 'vote of another height, round or type' };
    }
    const validator = this.#validators.validators[vote.validatorIndex];
    if (validator === undefined) return { kind: 'refused', reason: 'validator index out of range' };
    if (!equalBytes(validator.address, vote.validatorAddress)) {
      return { kind: 'refused', reason: 'validator address does not match its index' };
    }
    const first = this.#votes[vote.validatorIndex];
    if (first === undefined) return FRESH;
    if (equalBlockId(first.blockId, vote.blockId)) return DUPLICATE;
    const tally = this.#tally(vote.blockId);
    if (tally?.votes[vote.validatorIndex] !== undefined) return DUPLICATE;
    const reported = this.#equivocators.has(vote.validatorIndex);
    return { kind: 'conflict', with: first, counts: tally?.claimed === true, reported };
  }

  /** Adds a vote with a good signature that `judge` found fresh, or conflicting but counting. */
  add(vote: Vote): void {
    const index = vote.validatorIndex;
    const { power } = present(this.#validators.validators[index], 'judged before');
    const tally = this.#tally(vote.blockId) ?? this.#open(vote.blockId);
    assert(tally.votes[index] === undefined, 'vote counted twice');
    if (this.#votes[index] === undefined) {
      this.#votes[index] = vote;
      this.bits.add(index);
      this.#power += power;
      this.#isTwoThirds ||= isQuorum(this.#power, this.#validators.totalPower);
    } else {
      assert(tally.claimed, 'conflicting vote without a claim');
      if (this.#majority !== undefined && equalBlockId(this.#majority, vote.blockId)) {
        this.#votes[index] = vote;
      }
    }
    tally.votes[index] = vote;
    tally.bits.add(index);
    tally.power += power;
    if (this.#majority === undefined && isQuorum(tally.power, this.#validators.totalPower)) {
      this.#majority = tally.blockId;
      // For each validator in the majority, show that vote, even if another one came first.
      for (const [i, counted] of tally.votes.entries()) if (counted !== undefined) this.#votes[i] = counted;
    }
  }

  #open(blockId: BlockId): Tally {
    const size = this.bits.size;
    assert(this.#tallies.length <= size + CLAIMS_MAX, 'too many values tracked');
    const votes = new Array<Vote | undefined>(size).fill(undefined);
    const tally: Tally = { blockId, bits: new BitSet(size), votes, power: 0n, claimed: false };
    this.#tallies.push(tally);
    return tally;
  }

  /** A conflict of this validator was reported. Its further conflicts are ignored. */
  markEquivocator(index: number): void {
    this.#equivocators.add(index);
  }

  /** A peer says that a value has two thirds. Each peer may make one claim; a different second one contradicts it. */
  claim(peer: PeerId, blockId: BlockId): 'added' | 'known' | 'contradiction' | 'full' {
    const earlier = this.#claims.get(peer);
    if (earlier !== undefined) return equalBlockId(earlier, blockId) ? 'known' : 'contradiction';
    const tally = this.#tally(blockId);
    if (this.#claims.size >= CLAIMS_MAX) {
      // A value that has votes needs no new tally, so invented claims under many peer ids cannot shut out a true one.
      if (tally === undefined) return 'full';
      if (tally.claimed) return 'known';
    } else this.#claims.set(peer, blockId);
    (tally ?? this.#open(blockId)).claimed = true;
    return 'added';
  }

  /** True when the majority is for a block. */
  hasBlockMajority(): boolean {
    return this.#majority !== undefined && !isZeroBlockId(this.#majority);
  }
}
