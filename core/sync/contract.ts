/** The interfaces between block sync and the rest of the node. */
import type { Result } from '../lib/result.ts';
import type { Sizes } from '../lib/sizes.ts';
import type { CallId } from '../node/contract.ts';
import type { AppAsk, BlockContext, CommitReply, FinalizeReply } from '../types/app.ts';
import type { Block, BlockId, Commit } from '../types/block.ts';
import type { Address, Height, Millis, PeerId } from '../types/ids.ts';
import type { BlocksyncMessage } from '../types/messages.ts';
import type { ChainState } from '../types/state.ts';

/** The consensus rules that block sync applies without depending on consensus. All are pure functions. */
export interface BlockRules {
  /** Height of the block that follows `state`. */
  nextHeight(state: ChainState): Height;
  /** Whether `commit` proves that more than two thirds of the validators decided `blockId` as the next block. */
  checkCommit(state: ChainState, blockId: BlockId, commit: Commit): Result<void, string>;
  /** Whether `block` may follow `state`. Signatures that are also in `known` are not verified again. */
  checkBlock(state: ChainState, block: Block, known: Commit | undefined): Result<void, string>;
  context(state: ChainState, block: Block): BlockContext;
  next(
    state: ChainState,
    blockId: BlockId,
    block: Block,
    results: FinalizeReply,
  ): Result<ChainState, { readonly code: string }>;
}

export interface SyncOptions {
  /** False: the node starts in consensus and only serves blocks to others. */
  readonly enabled: boolean;
  readonly state: ChainState;
  /** Commit of the last stored block. */
  readonly lastCommit: Commit | undefined;
  /** Our own address, if this node is a validator. */
  readonly self: Address | undefined;
  readonly rules: BlockRules;
  readonly blocks: { head(): Height; base(): Height; block(height: Height): Block | undefined };
  readonly nextCall: () => CallId;
  readonly sizes?: Sizes | undefined;
}

/** A block that block sync has stored. */
export interface SyncedBlock {
  readonly block: Block;
  readonly blockId: BlockId;
  readonly results: FinalizeReply;
  /** The state after the block. */
  readonly state: ChainState;
  readonly reply: CommitReply;
}

export interface SyncOut {
  send(to: readonly PeerId[], message: BlocksyncMessage): void;
  tickAfter(ms: Millis): void;
  /** Calls `onAsk` after this delay. */
  askAfter(ms: Millis): void;
  drop(peer: PeerId, reason: string): void;
  app(call: CallId, ask: AppAsk): void;
  committed(synced: SyncedBlock): void;
  /** Consensus takes over on this state. `moved`: block sync has stored at least one block. */
  done(state: ChainState, lastCommit: Commit | undefined, moved: boolean): void;
  note(level: 'info' | 'warn', text: string): void;
  halt(reason: string): void;
}
