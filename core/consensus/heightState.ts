/** All that the machine knows at one height, as plain data. A new height is a new object. */
import type { PartSet } from '../codec/partSet.ts';
import { present } from '../lib/assert.ts';
import { EMPTY } from '../lib/bytes.ts';
import type { Result } from '../lib/result.ts';
import type { CallId, SignAsk } from '../node/contract.ts';
import type { FinalizeReply } from '../types/app.ts';
import { type Block, type BlockId, type Commit, EMPTY_COMMIT } from '../types/block.ts';
import type { Conflict, Evidence } from '../types/evidence.ts';
import { type Height, type Micros, type Round, ZERO_TIME } from '../types/ids.ts';
import { STEP } from '../types/messages.ts';
import type { ChainState } from '../types/state.ts';
import type { ValidatorSet } from '../types/validator.ts';
import { commitVote, type Proposal, type Vote } from '../types/vote.ts';
import { nextHeight } from './chainState.ts';
import { HeightVotes } from './heightVotes.ts';
import { flagOf, VoteSet } from './voteSet.ts';

/** A block under consideration: what the paper calls v, with id(v) and, once known, valid(v). */
export interface Candidate {
  readonly blockId: BlockId;
  readonly parts: PartSet;
  /** Set when all parts have arrived and decode to a block. */
  block: Block | undefined;
  /** valid(v): undefined until our own checks or the application have decided. The error says why it is invalid. */
  verdict: Result<void, string> | undefined;
}

/** A signature we have asked for. */
export type OpenSign =
  | { readonly kind: 'vote'; readonly call: CallId; readonly ask: SignAsk; readonly vote: Vote }
  | {
      readonly kind: 'proposal';
      readonly call: CallId;
      readonly ask: SignAsk;
      readonly proposal: Proposal;
      readonly candidate: Candidate;
    };

/** The one question the application is working on. */
export type OpenApp =
  /** `evidence`: what the application was told the block will contain. */
  | { readonly kind: 'propose'; readonly call: CallId; readonly round: Round; evidence: readonly Evidence[] }
  | { readonly kind: 'validate'; readonly call: CallId; readonly candidate: Candidate }
  | { readonly kind: 'finalize'; readonly call: CallId }
  | { readonly kind: 'commit'; readonly call: CallId };

/** The decision (L51), until it is stored. */
export interface Decision {
  readonly blockId: BlockId;
  readonly block: Block;
  readonly parts: PartSet;
  readonly seenCommit: Commit;
  /** Set when the application has executed the block. */
  done: { readonly results: FinalizeReply; readonly state: ChainState } | undefined;
}

export interface HeightState {
  /** The state after the previous height. */
  readonly state: ChainState;
  readonly height: Height;
  /** round_p of the paper. */
  round: Round;
  /** step_p of the paper, in CometBFT's finer step numbers (STEP). */
  step: number;
  /** The validators after `round` turns of the rotation. Its proposer is the round's proposer. */
  roundSet: ValidatorSet;
  /** When round 0 may start; undefined after construction, until `start` gives the time. */
  startTime: Micros | undefined;
  commitTime: Micros;
  /** The proposal accepted in this round. */
  proposal: Proposal | undefined;
  /** The block being collected or held: that of the proposal, of a polka, or of the commit. */
  current: Candidate | undefined;
  locked: Candidate | undefined;
  lockedRound: Round;
  valid: Candidate | undefined;
  validRound: Round;
  readonly votes: HeightVotes;
  commitRound: Round;
  /** Whether L48 was done in this round. */
  precommitTimer: boolean;
  /** Whether getValue() (L18) was called, or a proposal made, in this round. */
  hasProposed: boolean;
  /**
   * Settings fixed at the start of the height: whether L11 waits for transactions, and whether the wait for late
   * precommits ends once all are in.
   */
  waitsForTxs: boolean;
  skipsWait: boolean;
  txsAvailable: boolean;
  /** Takes late precommits of the previous height while we wait for round 0. */
  readonly lastPrecommits: VoteSet | undefined;
  /** The commit that was stored with the previous height. */
  readonly lastCommit: Commit | undefined;
  /** In the order of asking; see SIGNS_MAX. */
  signs: readonly OpenSign[];
  app: OpenApp | undefined;
  decision: Decision | undefined;
  /** Sent to the evidence pool again after a restart; see CONFLICTS_MAX. */
  readonly conflicts: Conflict[];
}

/** Most signatures waited for at once. If the signer is too slow, the oldest is given up. */
export const SIGNS_MAX = 16;
/** Most conflicts of one height that are remembered for a restart. */
export const CONFLICTS_MAX = 256;

export const newHeightState = (
  state: ChainState,
  lastPrecommits: VoteSet | undefined,
  lastCommit: Commit | undefined,
): HeightState => ({
  state,
  height: nextHeight(state),
  round: 0,
  step: STEP.newHeight,
  roundSet: state.validators,
  startTime: undefined,
  commitTime: 0,
  proposal: undefined,
  current: undefined,
  locked: undefined,
  lockedRound: -1,
  valid: undefined,
  validRound: -1,
  votes: new HeightVotes(nextHeight(state), state.validators),
  commitRound: -1,
  precommitTimer: false,
  hasProposed: false,
  waitsForTxs: false,
  skipsWait: false,
  txsAvailable: false,
  lastPrecommits,
  lastCommit,
  signs: [],
  app: undefined,
  decision: undefined,
  conflicts: [],
});

/** The commit made of a set of precommits that has a majority for a block (CometBFT's VoteSet.MakeCommit). */
export function commitOf(precommits: VoteSet): Commit {
  const blockId = present(precommits.majority(), 'commit without a majority');
  const signatures: Commit['signatures'][number][] = [];
  for (let i = 0; i < precommits.bits.size; i++) {
    const vote = precommits.vote(i);
    const flag = vote === undefined ? 'absent' : flagOf(vote, blockId);
    signatures.push(
      vote === undefined || flag === 'absent'
        ? ABSENT
        : {
            flag,
            validatorAddress: vote.validatorAddress,
            timestamp: vote.timestamp,
            signature: vote.signature,
          },
    );
  }
  return { height: precommits.height, round: precommits.round, blockId, signatures };
}

const ABSENT = {
  flag: 'absent',
  validatorAddress: EMPTY,
  timestamp: ZERO_TIME,
  signature: EMPTY,
} as const;

/** The precommits contained in a stored commit. They were verified before the commit was stored. */
export function precommitsOf(commit: Commit, validators: ValidatorSet): VoteSet {
  const set = new VoteSet(commit.height, commit.round, 'precommit', validators);
  for (let i = 0; i < commit.signatures.length; i++) {
    const vote = commitVote(commit, i);
    if (vote !== undefined) set.add(vote);
  }
  return set;
}

/** LastCommit of the block to be proposed at this height. */
export const lastCommitOf = (s: HeightState): Commit =>
  s.lastPrecommits === undefined ? EMPTY_COMMIT : commitOf(s.lastPrecommits);
