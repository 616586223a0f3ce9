/** What goes into the consensus machine and what comes out of it. The algorithm itself is rules.ts. */

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
import type { VoteVerifier } from './verifySignature.ts';

export type ConsensusTimerKey = Extract<TimerKey, { machine: 'consensus' }>;

/** Messages come decoded and shape-checked (validateBasic); `peer` is undefined for our own. */
export type ConsensusInput =
  /** After construction and replay: arms timers and repeats the calls that are still open. */
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
  /** The mempool has something to propose. Wanted again after each `committed` while the pool is not empty. */
  | { readonly kind: 'txsAvailable' };

/** Facts for the neighbours (gossip, evidence, mempool), in the order they became true. */
export type ConsensusNotice =
  | { readonly kind: 'voteAdded'; readonly vote: Vote; readonly peer: PeerId | undefined }
  /** `rs.proposalParts` now belongs to a polka or to the decided block: NewValidBlock is due. */
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
  /** The sender (never the validator a message names) broke the protocol. */
  | { readonly kind: 'punish'; readonly peer: PeerId; readonly reason: string };

/** Where one step's answers go, in order. */
export interface Out {
  effect(effect: Effect): void;
  notice(notice: ConsensusNotice): void;
}

/** Durations in milliseconds; a round's timeout is base + round × delta (CometBFT §4.1). */
export interface ConsensusConfig {
  readonly timeoutProposeMs: Millis;
  readonly timeoutProposeDeltaMs: Millis;
  readonly timeoutPrevoteMs: Millis;
  readonly timeoutPrevoteDeltaMs: Millis;
  readonly timeoutPrecommitMs: Millis;
  readonly timeoutPrecommitDeltaMs: Millis;
  /** From the moment the commit is known to the next height's round 0: time for late precommits. */
  readonly timeoutCommitMs: Millis;
  /** Start the next height as soon as every precommit is in. */
  readonly skipTimeoutCommit: boolean;
  /** false: round 0 waits for `txsAvailable`. */
  readonly createEmptyBlocks: boolean;
  /** Above 0: round 0 waits for txs, but no longer than this, whatever `createEmptyBlocks` says. */
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

/** What the machine asks its neighbours synchronously. All of it is plain reading. */
export interface ConsensusDeps {
  /** In proposal order; each tx counted with its protobuf overhead. `maxGas` -1 is no limit. */
  reapTxs(maxBytes: number, maxGas: number): readonly Bytes[];
  pendingEvidence(maxBytes: number): readonly Evidence[];
  /** Each verified against `state`, none committed or twice in the list. */
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
  /** Instead of the core's own; it may only remember what that has answered. */
  readonly verifyVote?: VoteVerifier | undefined;
  /** undefined: the node follows and never signs. */
  readonly validator: { readonly address: Address; readonly pubKey: PublicKey } | undefined;
  readonly deps: ConsensusDeps;
}
