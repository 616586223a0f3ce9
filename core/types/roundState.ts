/** The consensus machine's state, readable for other machines. Gossip decides from it what a peer lacks. */
import type { BitSet } from '../lib/bitset.ts';
import type { Block, BlockId, Commit, Part, PartSetHeader } from './block.ts';
import type { Height, Micros, Round } from './ids.ts';
import type { ValidatorSet } from './validator.ts';
import type { Proposal, Vote, VoteType } from './vote.ts';

/** The part set of a block that is being received. */
export interface PartsReader {
  readonly header: PartSetHeader;
  readonly bits: BitSet;
  readonly count: number;
  part(index: number): Part | undefined;
  isComplete(): boolean;
}

/** Votes of one (height, round, type). */
export interface VoteSetReader {
  readonly height: Height;
  readonly round: Round;
  readonly type: VoteType;
  readonly bits: BitSet;
  /** The validators that can vote in this set. */
  readonly validators: ValidatorSet;
  vote(index: number): Vote | undefined;
  /** The value with more than two thirds: ZERO_BLOCK_ID for nil, undefined if there is none. */
  majority(): BlockId | undefined;
  /** Whether more than two thirds have voted, for any values. */
  hasTwoThirdsAny(): boolean;
  /** The validators that voted for exactly this value, as far as this is tracked. */
  bitsFor(blockId: BlockId): BitSet;
}

export interface HeldBlock {
  readonly block: Block | undefined;
  readonly parts: PartsReader;
}

export interface RoundState {
  readonly height: Height;
  readonly round: Round;
  /** CometBFT's number, see STEP in messages.ts. */
  readonly step: number;
  readonly startTime: Micros;
  readonly commitTime: Micros;
  readonly validators: ValidatorSet;
  readonly proposal: Proposal | undefined;
  readonly proposalBlock: Block | undefined;
  readonly proposalParts: PartsReader | undefined;
  readonly lockedRound: Round;
  readonly lockedBlock: BlockId | undefined;
  readonly validRound: Round;
  readonly validBlock: BlockId | undefined;
  /** -1 until a commit round is known. */
  readonly commitRound: Round;
  votes(round: Round, type: VoteType): VoteSetReader | undefined;
  /** Precommits of height - 1 that made the last commit; undefined at the initial height. */
  readonly lastPrecommits: VoteSetReader | undefined;
  readonly lastCommit: Commit | undefined;
  /** Further state that operators may see. Gossip does not need it. */
  readonly held: {
    readonly locked: HeldBlock | undefined;
    readonly valid: HeldBlock | undefined;
    readonly precommitTimer: boolean;
    /** Number of rounds of this height for which vote sets exist. */
    readonly rounds: number;
  };
  readonly proposer: { readonly address: Uint8Array; readonly index: number };
}
