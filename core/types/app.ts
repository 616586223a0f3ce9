import type { Bytes } from '../lib/bytes.ts';
import type { Block, BlockId, BlockIdFlag, Commit, Part } from './block.ts';
import type { Misbehavior } from './evidence.ts';
import type { Address, Hash, Height, Micros, Timestamp } from './ids.ts';
import type { KvOp } from './kvOp.ts';
import type { ConsensusParams } from './params.ts';
import type { AbciEvent, TxResult } from './result.ts';
import type { ChainState } from './state.ts';
import type { ValidatorUpdate } from './validator.ts';

/** The previous block's signers in the order of their validator set (ABCI CommitInfo); empty at the initial height. */
export interface CommitInfo {
  readonly round: number;
  readonly votes: readonly {
    readonly address: Address;
    readonly power: bigint;
    readonly flag: BlockIdFlag;
  }[];
}

/** What the application is told with every question about a block. */
export interface BlockContext {
  readonly height: Height;
  readonly time: Timestamp;
  readonly proposerAddress: Address;
  readonly nextValidatorsHash: Hash;
  readonly lastCommit: CommitInfo;
  readonly misbehavior: readonly Misbehavior[];
}

/** Questions to the application. propose, validate, finalize and commit run one after another. */
export type AppAsk =
  | { readonly kind: 'checkTx'; readonly tx: Bytes; readonly recheck: boolean }
  | {
      readonly kind: 'propose';
      readonly context: BlockContext;
      /** Most bytes of all txs, each counted with its protobuf overhead. */
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
      /** Written in one batch with the state staged by the last `finalize`; the head pointer comes last. */
      readonly block: Block;
      readonly blockId: BlockId;
      readonly parts: readonly Part[];
      readonly seenCommit: Commit;
      readonly state: ChainState;
      readonly results: FinalizeReply;
      /** Further operations for the same batch, from other machines: evidence marks. */
      readonly extraOps?: readonly KvOp[];
    };

/** The position of a valid tx in its sender's lane. */
export interface LanePosition {
  /** Lower-case hex of the 20-byte sender. */
  readonly sender: string;
  readonly nonce: bigint;
  /** Nonce of the sender in the state the check ran against. */
  readonly stateNonce: bigint;
  /** Spendable balance in that state. Lane txs whose summed cost exceeds it are not executable. */
  readonly balance: bigint;
  /** value + gas × feeCap. */
  readonly cost: bigint;
  readonly gas: bigint;
  readonly feeCap: bigint;
  readonly tipCap: bigint;
  /** The sender's account runs the code of another one (EIP-7702), so others may spend its coins. */
  readonly isDelegated?: boolean;
  /** No block above this height may hold the tx; undefined for no limit. */
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
   * Nonce and balance, after the block, of every account whose nonce or coins were used in it: by its own transaction,
   * by an authorization (EIP-7702), or because anybody may spend its coins. Sorted by address (lower-case hex).
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
 * The application. Asynchronous because the EVM library is, but pure: the same block on the same state gives the same
 * bytes. An error that is no property of the data (a storage fault) rejects the promise and stops the node.
 */
export interface Application {
  checkTx(tx: Bytes, recheck: boolean): Promise<CheckReply>;
  propose(ask: Extract<AppAsk, { kind: 'propose' }>): Promise<readonly Bytes[]>;
  validate(
    ask: Extract<AppAsk, { kind: 'validate' }>,
  ): Promise<{ readonly accept: boolean; readonly reason: string }>;
  /** Executes and stages the block. Nothing is visible or durable before `commit`. A further call replaces it. */
  finalize(ask: Extract<AppAsk, { kind: 'finalize' }>): Promise<FinalizeReply>;
  commit(ask: Extract<AppAsk, { kind: 'commit' }>): Promise<CommitReply>;
}

/** Lets waiting votes and sockets run between two transactions. Does nothing in the simulator. */
export type Pause = () => Promise<void>;

/** Asked repeatedly while an execution runs: at least once per repetition of anything that code can repeat. */
export interface Guard {
  /** Returns undefined, or a promise to await before continuing. Throws ExecutionAborted. */
  tick(): Promise<void> | undefined;
  /** Like `tick`, but always looks at the clock: for steps that each take long, as a transaction may. */
  look(): Promise<void> | undefined;
}

/** Time source for what is only shown to users. The protocol gets its time as an argument. */
export type Clock = () => Micros;
