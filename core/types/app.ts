import type { Bytes } from '../lib/bytes.ts';
import type { Block, BlockId, BlockIdFlag, Commit, Part } from './block.ts';
import type { Misbehavior } from './evidence.ts';
import type { Address, Hash, Height, Micros, Timestamp } from './ids.ts';
import type { KvOp } from './kvOp.ts';
import type { ConsensusParams } from './params.ts';
import type { AbciEvent, TxResult } from './result.ts';
import type { ChainState } from './state.ts';
import type { ValidatorUpdate } from './validator.ts';

/** Who signed the previous block, in order of the last validator set (ABCI CommitInfo); empty at the initial height. */
export interface CommitInfo {
  readonly round: number;
  readonly votes: readonly {
    readonly address: Address;
    readonly power: bigint;
    readonly flag: BlockIdFlag;
  }[];
}

/** What every block-shaped question tells the application. */
export interface BlockContext {
  readonly height: Height;
  readonly time: Timestamp;
  readonly proposerAddress: Address;
  readonly nextValidatorsHash: Hash;
  readonly lastCommit: CommitInfo;
  readonly misbehavior: readonly Misbehavior[];
}

/** Questions of the machine to the application. propose, validate, finalize and commit run one after another. */
export type AppAsk =
  | { readonly kind: 'checkTx'; readonly tx: Bytes; readonly recheck: boolean }
  | {
      readonly kind: 'propose';
      readonly context: BlockContext;
      /** Bytes of txs, each counted with its protobuf overhead. */
      readonly maxBytes: number;
      /** In proposal order, as reaped from the mempool. */
      readonly txs: readonly Bytes[];
    }
  | {
      readonly kind: 'validate';
      readonly context: BlockContext;
      readonly hash: Hash;
      readonly txs: readonly Bytes[];
    }
  | {
      readonly kind: 'finalize';
      readonly context: BlockContext;
      readonly hash: Hash;
      readonly txs: readonly Bytes[];
    }
  | {
      readonly kind: 'commit';
      /** Written in one batch with the state staged by the last `finalize`, head pointer last. */
      readonly block: Block;
      readonly blockId: BlockId;
      readonly parts: readonly Part[];
      readonly seenCommit: Commit;
      readonly state: ChainState;
      readonly results: FinalizeReply;
      /** What other machines want in the same batch: evidence marks. */
      readonly extraOps?: readonly KvOp[];
    };

/** Where a valid tx stands in its sender's lane. */
export interface LanePosition {
  /** Lower-case hex of the 20-byte sender. */
  readonly sender: string;
  readonly nonce: bigint;
  /** Nonce of the sender in the state the check ran against. */
  readonly stateNonce: bigint;
  /** Spendable balance in that state; a lane's summed cost above it is not executable. */
  readonly balance: bigint;
  /** value + gas × feeCap. */
  readonly cost: bigint;
  readonly gas: bigint;
  readonly feeCap: bigint;
  readonly tipCap: bigint;
  /** The sender runs code of another account (EIP-7702): others may spend what it owns. */
  readonly isDelegated?: boolean;
  /** No block after this height may hold it; undefined for no limit. */
  readonly lastHeight?: bigint | undefined;
  /** keccak256 of the Ethereum envelope; undefined for a Cosmos tx. */
  readonly ethHash: Hash | undefined;
}

export type CheckReply =
  | {
      readonly kind: 'accepted';
      readonly lane: LanePosition;
      readonly gasWanted: bigint;
      readonly events: readonly AbciEvent[];
    }
  | {
      readonly kind: 'rejected';
      readonly code: number;
      readonly codespace: string;
      /** Cosmos SDK wording. */
      readonly log: string;
      /** geth wording for JSON-RPC, e.g. `nonce too low: next nonce 3, tx nonce 2`. */
      readonly ethMessage: string;
      readonly gasWanted: bigint;
      readonly gasUsed: bigint;
    };

export interface FinalizeReply {
  readonly txResults: readonly TxResult[];
  readonly events: readonly AbciEvent[];
  readonly validatorUpdates: readonly ValidatorUpdate[];
  readonly paramUpdates: ConsensusParams | undefined;
  readonly appHash: Bytes;
}

export interface CommitReply {
  readonly height: Height;
  /**
   * Nonce and balance after the block of every account that spent either in it, by its own transaction, by an authorization (EIP-7702) or as
   * one whose coins anybody may spend; sorted by address (lower-case hex).
   */
  readonly spenders: readonly {
    readonly address: string;
    readonly nonce: bigint;
    readonly balance: bigint;
  }[];
  /** Base fee of the next block, wei. */
  readonly nextBaseFee: bigint;
  /** Gas limit of a block. */
  readonly gasLimit: bigint;
}

export type AppReply =
  | { readonly kind: 'checked'; readonly result: CheckReply }
  | { readonly kind: 'proposed'; readonly txs: readonly Bytes[] }
  | { readonly kind: 'validated'; readonly accept: boolean; readonly reason: string }
  | { readonly kind: 'finalized'; readonly result: FinalizeReply }
  | { readonly kind: 'committed'; readonly result: CommitReply };

/**
 * The application: asynchronous because the EVM library is, but pure: same block on same state, same bytes.
 * An error that is not a property of the data (a storage fault) rejects the promise and stops the node.
 */
export interface Application {
  checkTx(tx: Bytes, recheck: boolean): Promise<CheckReply>;
  propose(ask: Extract<AppAsk, { kind: 'propose' }>): Promise<readonly Bytes[]>;
  validate(
    ask: Extract<AppAsk, { kind: 'validate' }>,
  ): Promise<{ readonly accept: boolean; readonly reason: string }>;
  /** Executes and stages; nothing is visible or durable before `commit`. Calling again replaces the staged block. */
  finalize(ask: Extract<AppAsk, { kind: 'finalize' }>): Promise<FinalizeReply>;
  commit(ask: Extract<AppAsk, { kind: 'commit' }>): Promise<CommitReply>;
}

/** Lets votes and sockets run between two transactions when they have waited; nothing in the simulator. */
export type Pause = () => Promise<void>;

/** Time source for what is only shown to users; the protocol gets its time as an argument. */
export type Clock = () => Micros;
