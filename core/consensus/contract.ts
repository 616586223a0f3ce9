/** Inputs and outputs of the consensus machine. The algorithm itself is in rules.ts. */

import type { VoteVerifier } from '../codec/verifySignature.ts';
import type { CryptoSuite } from '../crypto/suite.ts';
import type { Bytes } from '../lib/bytes.ts';
import type { Result } from '../lib/result.ts';
import type { CallId, Effect, SignError, Signed, TimerKey } from '../node/contract.ts';
import type { AppReply, CommitReply, FinalizeReply } from '../types/app.ts';
import type { Block, BlockId, Commit, Part } from '../types/block.ts';
import type { Conflict, Evidence } from '../types/evidence.ts';
import type { Address, Height, Millis, PeerId, Round } from '../types/ids.ts';
import type { ChainState } from '../types/state.ts';
import type { PublicKey } from '../types/validator.ts';
import type { Proposal, Vote, VoteType } from '../types/vote.ts';

export type ConsensusTimerKey = Extract<TimerKey, { machine: 'consensus' }>;

/** Messages are decoded and shape-checked (validateBasic). Without a `peer` there is nobody to punish for them. */
export type ConsensusInput =
  /** Comes once, after construction and replay: arms the timers and repeats the calls that are still open. */
  | { readonly kind: 'start' }
  | { readonly kind: 'proposal'; readonly peer?: PeerId; readonly proposal: Proposal }
  | {
      readonly kind: 'part';
      readonly peer?: PeerId;
      readonly height: Height;
      readonly round: Round;
      readonly part: Part;
    }
  | { readonly kind: 'vote'; readonly peer?: PeerId; readonly vote: Vote }
  | {
      readonly kind: 'maj23';
      readonly peer: PeerId;
      readonly height: Height;
      readonly round: Round;
      readonly type: VoteType;
      readonly blockId: BlockId;
    }
  | { readonly kind: 'timer'; readonly key: TimerKey }
  | { readonly kind: 'signed'; readonly call: CallId; readonly result: Result<Signed, SignError> }
  | { readonly kind: 'app'; readonly call: CallId; readonly reply: AppReply }
  /** The mempool has something to propose. Sent again after each `committed` while the pool is not empty. */
  | { readonly kind: 'txsAvailable' };

/** Facts for gossip, evidence and mempool, in the order in which they became true. */
export type ConsensusNotice =
  | { readonly kind: 'voteAdded'; readonly vote: Vote; readonly peer: PeerId | undefined }
  /** `rs.proposalParts` is now the part set of a block with a polka or of the decided block: NewValidBlock is due. */
  | { readonly kind: 'validBlock' }
  | { readonly kind: 'proposalSet'; readonly proposal: Proposal; readonly peer: PeerId | undefined }
  | { readonly kind: 'conflict'; readonly conflict: Conflict }
  | {
      readonly kind: 'committed';
      readonly height: Height;
      readonly block: Block;
      readonly blockId: BlockId;
      readonly results: FinalizeReply;
      readonly state: ChainState;
      readonly reply: CommitReply;
    }
  /** `peer`, who sent the message, broke the protocol. The validator named in the message is never blamed. */
  | { readonly kind: 'punish'; readonly peer: PeerId; readonly reason: string };

/** Receives the effects and notices of one step, in order. */
export interface Out {
  effect(effect: Effect): void;
  notice(notice: ConsensusNotice): void;
}

/** Durations in milliseconds; a round's timeout is base + round × delta (CometBFT's ConsensusConfig). */
export interface ConsensusConfig {
  readonly timeoutProposeMs: Millis;
  readonly timeoutProposeDeltaMs: Millis;
  readonly timeoutPrevoteMs: Millis;
  readonly timeoutPrevoteDeltaMs: Millis;
  readonly timeoutPrecommitMs: Millis;
  readonly timeoutPrecommitDeltaMs: Millis;
  /** Wait between a commit and round 0 of the next height; late precommits are still taken in this time. */
  readonly timeoutCommitMs: Millis;
  /** Start the next height as soon as all precommits of the last one have arrived. */
  readonly skipTimeoutCommit: boolean;
  /** false: round 0 waits for `txsAvailable`. */
  readonly createEmptyBlocks: boolean;
  /** Above 0: round 0 waits for transactions, but at most this long, whatever `createEmptyBlocks` says. */
  readonly createEmptyBlocksIntervalMs: Millis;
}

export const DEFAULT_CONSENSUS_CONFIG: ConsensusConfig = {
  timeoutProposeMs: 3000,
  timeoutProposeDeltaMs: 500,
  timeoutPrevoteMs: 1000,
  timeoutPrevoteDeltaMs: 500,
  timeoutPrecommitMs: 1000,
  timeoutPrecommitDeltaMs: 500,
  timeoutCommitMs: 1000,
  skipTimeoutCommit: false,
  createEmptyBlocks: true,
  createEmptyBlocksIntervalMs: 0,
};

/** Synchronous calls to the mempool and the evidence pool. They do not change either of them. */
export interface ConsensusDeps {
  /** Transactions in proposal order. `maxBytes` counts each with its protobuf overhead. The mempool knows the gas limit. */
  reapTxs(maxBytes: number): readonly Bytes[];
  pendingEvidence(maxBytes: number): readonly Evidence[];
  /** Ok if each item is valid against `state`, not committed yet, and not listed twice. */
  checkEvidence(
    list: readonly Evidence[],
    state: ChainState,
  ): Result<void, { readonly code: string; readonly message: string }>;
  nextCall(): CallId;
}

export interface ConsensusOptions {
  readonly state: ChainState;
  /** The commit seen for `state.lastBlockHeight`, from the store; absent only before the first block. */
  readonly lastCommit?: Commit | undefined;
  readonly config: ConsensusConfig;
  readonly suite: CryptoSuite;
  /** Replaces the core's own verifier. A replacement may only cache that verifier's answers. */
  readonly verifyVote?: VoteVerifier | undefined;
  /** undefined: the node follows and never signs. */
  readonly validator: { readonly address: Address; readonly pubKey: PublicKey } | undefined;
  readonly deps: ConsensusDeps;
}
