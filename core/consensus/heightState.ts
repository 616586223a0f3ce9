/** Everything the machine knows at one height, as plain data. A new height is a new object. */
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
import type { Proposal, Vote } from '../types/vote.ts';
import { nextHeight } from './chainState.ts';
import { HeightVotes } from './heightVotes.ts';
import { voteOfCommit } from './verifyCommit.ts';
import { flagOf, VoteSet } from './voteSet.ts';

/** A block under consideration: what the paper calls v, with id(v) and, once known, valid(v). */
export interface Candidate {
  readonly blockId: BlockId;
  readonly parts: PartSet;
  /** Set when the parts are complete and decode. */
  block: Block | undefined;
  /** valid(v): undefined until our own checks and the application have answered. The error says why not. */
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
  /** `evidence`: what the application was told will be in the block. */
  | { readonly kind: 'propose'; readonly call: CallId; readonly round: Round; evidence: readonly Evidence[] }
  | { readonly kind: 'validate'; readonly call: CallId; readonly candidate: Candidate }
  | { readonly kind: 'finalize'; readonly call: CallId }
  | { readonly kind: 'commit'; readonly call: CallId };

/** The decision (L51) on its way into the store. */
export interface Decision {
  readonly blockId: BlockId;
  readonly block: Block;
  readonly parts: PartSet;
  readonly seenCommit: Commit;
  /** Set when the application has executed the block. */
  done: { readonly results: FinalizeReply; readonly state: ChainState } | undefined;
}

export interface HeightState {
  /** After the previous height. */
  readonly state: ChainState;
  readonly height: Height;
  /** round_p of the paper. */
  round: Round;
  /** step_p of the paper in CometBFT's finer numbers (STEP). */
  step: number;
  /** Validators with the rotation turned `round` times; its proposer is the round's. */
  roundSet: ValidatorSet;
  /** When round 0 may start; undefined after construction, until `start` tells the time. */
  startTime: Micros | undefined;
  commitTime: Micros;
  /** The proposal accepted in this round. */
  proposal: Proposal | undefined;
  /** The block being collected or held: of the proposal, of a polka, or of the commit. */
  current: Candidate | undefined;
  locked: Candidate | undefined;
  lockedRound: Round;
  valid: Candidate | undefined;
  validRound: Round;
  readonly votes: HeightVotes;
  commitRound: Round;
  /** L48 was done in this round. */
  precommitTimer: boolean;
  /** getValue() (L18) was asked for, or a proposal made, in this round. */
  hasProposed: boolean;
  /** Settings as of the height's begin (L11 is delayed for transactions; the wait for late precommits is cut). */
  waitsForTxs: boolean;
  skipsWait: boolean;
  txsAvailable: boolean;
  /** Late precommits of the previous height still enter here while we wait for round 0. */
  readonly lastPrecommits: VoteSet | undefined;
  /** As it was when the previous height was stored. */
  readonly lastCommit: Commit | undefined;
  /** In the order asked; see SIGNS_MAX. */
  signs: readonly OpenSign[];
  app: OpenApp | undefined;
  decision: Decision | undefined;
  /** Repeated to the evidence pool after a restart; see CONFLICTS_MAX. */
  readonly conflicts: Conflict[];
}

/** Signatures waited for at once; a signer slower than that loses its oldest. */
export const SIGNS_MAX = 16;
/** Conflicts of one height remembered for a restart. */
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

/** The commit that a set of precommits with a majority for a block makes (CometBFT §4.2). */
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

/** The precommits that a stored commit stands for. They were verified before the commit was stored. */
export function precommitsOf(commit: Commit, validators: ValidatorSet): VoteSet {
  const set = new VoteSet(commit.height, commit.round, 'precommit', validators);
  for (const [index, signature] of commit.signatures.entries()) {
    if (signature.flag !== 'absent') set.add(voteOfCommit(commit, index, signature));
  }
  return set;
}

/** LastCommit of the block to be made at this height. */
export const lastCommitOf = (s: HeightState): Commit =>
  s.lastPrecommits === undefined ? EMPTY_COMMIT : commitOf(s.lastPrecommits);
