/** What readers (RPC, subscriptions, CLI queries) see of the chain. A View is one height and never changes. */
import type { Bytes } from '../lib/bytes.ts';
import type { FinalizeReply, Guard } from '../types/app.ts';
import type { Block, BlockMeta, Commit } from '../types/block.ts';
import type { ForkName } from '../types/fork.ts';
import type { Address, Hash, Height } from '../types/ids.ts';
import type { ConsensusParams } from '../types/params.ts';
import type { TxResult } from '../types/result.ts';
import type { TraceHooks } from '../types/trace.ts';
import type { ValidatorSet } from '../types/validator.ts';

/** Standard Ethereum header with all fields to Prague (21), in RLP order. Hashes are 32 bytes. */
export interface EthHeader {
  readonly parentHash: Hash;
  readonly unclesHash: Hash;
  readonly coinbase: Address;
  readonly stateRoot: Hash;
  readonly transactionsRoot: Hash;
  readonly receiptsRoot: Hash;
  /** 256 bytes. */
  readonly logsBloom: Bytes;
  readonly difficulty: bigint;
  readonly number: Height;
  readonly gasLimit: bigint;
  readonly gasUsed: bigint;
  /** Unix seconds. */
  readonly timestamp: number;
  /** The 32-byte consensus block hash of this height. */
  readonly extraData: Bytes;
  readonly mixHash: Hash;
  readonly nonce: Bytes;
  readonly baseFeePerGas: bigint;
  readonly withdrawalsRoot: Hash;
  readonly blobGasUsed: bigint;
  readonly excessBlobGas: bigint;
  readonly parentBeaconBlockRoot: Hash;
  readonly requestsHash: Hash;
}

export interface AccessListItem {
  readonly address: Address;
  readonly storageKeys: readonly Bytes[];
}

export interface Authorization {
  readonly chainId: bigint;
  readonly address: Address;
  readonly nonce: bigint;
  readonly yParity: number;
  readonly r: bigint;
  readonly s: bigint;
}

/** A decoded, signature-recovered Ethereum transaction of type 0, 1, 2 or 4. */
export interface EthTx {
  readonly type: 0 | 1 | 2 | 4;
  /** keccak256(raw). */
  readonly hash: Hash;
  /** EIP-2718 bytes. */
  readonly raw: Bytes;
  readonly from: Address;
  /** undefined: the transaction creates a contract. */
  readonly to: Address | undefined;
  readonly nonce: bigint;
  readonly gasLimit: bigint;
  readonly value: bigint;
  readonly data: Bytes;
  /** undefined for an unprotected legacy tx. */
  readonly chainId: bigint | undefined;
  /** Types 0 and 1. */
  readonly gasPrice: bigint | undefined;
  /** Types 2 and 4; for types 0 and 1 both fields equal gasPrice. */
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
  readonly accessList: readonly AccessListItem[];
  readonly authorizationList: readonly Authorization[];
  /** As encoded: 27/28/35+ for legacy, 0/1 for typed transactions. */
  readonly v: bigint;
  readonly r: bigint;
  readonly s: bigint;
}

/** An Ethereum transaction together with the public key that its signature reveals. */
export interface SignedEthTx {
  readonly tx: EthTx;
  /** 33-byte compressed secp256k1 key of `tx.from`. */
  readonly pubKey: Bytes;
}

export interface EthLog {
  readonly address: Address;
  readonly topics: readonly Hash[];
  readonly data: Bytes;
  /** Position within the block. */
  readonly logIndex: number;
}

export interface EthReceipt {
  readonly type: 0 | 1 | 2 | 4;
  readonly status: 0 | 1;
  readonly cumulativeGasUsed: bigint;
  readonly gasUsed: bigint;
  readonly effectiveGasPrice: bigint;
  readonly logsBloom: Bytes;
  readonly logs: readonly EthLog[];
  readonly contractAddress: Address | undefined;
}

/** The Ethereum block of one height; receipts[i] belongs to transactions[i]. */
export interface EthBlock {
  readonly hash: Hash;
  readonly header: EthHeader;
  readonly transactions: readonly EthTx[];
  readonly receipts: readonly EthReceipt[];
  /** Encoded size of the Ethereum block (RLP) in bytes. */
  readonly size: number;
}

export interface EthAccountState {
  readonly nonce: bigint;
  readonly balance: bigint;
  readonly storageRoot: Hash;
  readonly codeHash: Hash;
}

/** What the auth module stores of an account. */
export interface AuthRecord {
  readonly accountNumber: bigint;
  /** 33-byte compressed eth_secp256k1 key, undefined until the first signed tx. */
  readonly pubKey: Bytes | undefined;
}

/**
 * One height, which never changes. A handler takes a view when it starts and uses it to the end. Reads are synchronous.
 */
export interface View {
  readonly height: Height;
  readonly stateRoot: Hash;
  readonly modulesRoot: Hash;
  account(address: Address): EthAccountState | undefined;
  code(address: Address): Bytes;
  /** 32-byte slot → 32-byte value; zeros when unset. */
  storage(address: Address, slot: Bytes): Bytes;
  auth(address: Address): AuthRecord | undefined;
  /** Raw entry of the module store. Each module defines its key layout. */
  module(key: Bytes): Bytes | undefined;
  /** Trie nodes from stateRoot to the account, or those that prove its absence (EIP-1186). */
  proveAccount(address: Address): readonly Bytes[];
  /** The account's slots in order of keccak256(slot), starting at `from`. */
  storageRange(
    address: Address,
    from: Hash,
    limitMax: number,
  ): readonly { readonly keyHash: Hash; readonly value: Bytes }[];
  /** Accounts in order of keccak256(address), starting at `from`. */
  accountRange(
    from: Hash,
    limitMax: number,
  ): readonly { readonly keyHash: Hash; readonly account: EthAccountState }[];
  /**
   * Address hashes of accounts that exist here and differ from those in `older`, or do not exist there; undefined for a
   * part of the walk that found none. Each step reads a few trie nodes, and the caller may pause between them.
   */
  changedSince(older: View): Iterable<Hash | undefined>;
  /** Code by its keccak256. */
  codeOf(codeHash: Hash): Bytes;
  /** Trie nodes from the account's storage root to the slot; empty when the account has no storage. */
  proveStorage(address: Address, slot: Bytes): readonly Bytes[];
  /** Trie nodes from modulesRoot to the key in the module store, or those that prove its absence. */
  proveModule(key: Bytes): readonly Bytes[];
}

export interface TxLocation {
  readonly height: Height;
  /** Index in the consensus block. */
  readonly index: number;
  /** Index among the block's Ethereum transactions; undefined for a Cosmos tx. */
  readonly ethIndex: number | undefined;
}

export interface ChainReader {
  /** Height of the newest readable block; 0 only before the first block. */
  head(): Height;
  /** Lowest height kept. */
  base(): Height;
  /** Number of the Ethereum genesis block: the initial height minus one. The block is stored under height 0. */
  genesisNumber(): number;
  latest(): View;
  /** undefined outside base()..head(); height 0 is the genesis state. */
  view(height: Height): View | undefined;
  /** Height 0 is the Ethereum genesis block. */
  ethBlock(height: Height): EthBlock | undefined;
  heightOfEthHash(hash: Hash): Height | undefined;
  heightOfBlockHash(hash: Hash): Height | undefined;
  ethTxLocation(ethHash: Hash): TxLocation | undefined;
  /** By sha256 of the tx bytes. */
  txLocation(hash: Hash): TxLocation | undefined;
  block(height: Height): Block | undefined;
  blockMeta(height: Height): BlockMeta | undefined;
  /** The commit for `height` as contained in block height+1, undefined for the head. */
  commit(height: Height): Commit | undefined;
  seenCommit(height: Height): Commit | undefined;
  /** Known up to head() + 1. */
  validators(height: Height): ValidatorSet | undefined;
  params(height: Height): ConsensusParams | undefined;
  results(height: Height): FinalizeReply | undefined;
  txResult(location: TxLocation): TxResult | undefined;
  /** Base fee of the block after the head. */
  nextBaseFee(): bigint;
  /** Least gas price that block accepts. A chain without a base fee may still set a minimum. */
  leastGasPrice(): bigint;
  gasLimit(): bigint;
  readonly chainId: string;
  readonly evmChainId: bigint;
  /** The fork's name. Genesis sets it for the whole chain. */
  readonly fork: ForkName;
  readonly hrp: string;
  readonly denom: string;
}

/** Arguments of eth_call and eth_estimateGas after parsing. */
export interface CallArgs {
  readonly from: Address | undefined;
  readonly to: Address | undefined;
  readonly gas: bigint | undefined;
  readonly gasPrice: bigint | undefined;
  readonly maxFeePerGas: bigint | undefined;
  readonly maxPriorityFeePerGas: bigint | undefined;
  readonly value: bigint;
  readonly data: Bytes;
  readonly nonce: bigint | undefined;
  readonly accessList: readonly AccessListItem[];
  readonly authorizationList: readonly Authorization[];
  /** True for an EIP-7702 call, even with an empty authorization list. */
  readonly isSetCode?: boolean;
}

export type CallOutcome =
  | { readonly kind: 'returned'; readonly data: Bytes; readonly gasUsed: bigint }
  | { readonly kind: 'reverted'; readonly data: Bytes; readonly gasUsed: bigint }
  /** geth's wording: `out of gas`, `invalid opcode: INVALID`, … */
  | { readonly kind: 'failed'; readonly message: string; readonly gasUsed: bigint }
  /**
   * Refused before execution (insufficient funds, fee cap below base fee, nonce …) or aborted by the time limit.
   * `reason` is geth's wording; `message` is the same as eth_call words it.
   */
  | {
      readonly kind: 'refused';
      readonly message: string;
      readonly reason: string;
      readonly isTimeout?: boolean;
    };

/** State override of one account (geth's eth_call third parameter). */
export interface AccountOverride {
  readonly nonce: bigint | undefined;
  readonly balance: bigint | undefined;
  readonly code: Bytes | undefined;
  /** Replaces the whole storage. */
  readonly state: ReadonlyMap<string, Bytes> | undefined;
  readonly stateDiff: ReadonlyMap<string, Bytes> | undefined;
  /** For a precompile: the address where calls find it instead. */
  readonly movePrecompileTo?: Address | undefined;
}

/**
 * Chooses the hooks that watch an Ethereum transaction. `index`: its position among the block's Ethereum transactions.
 */
export type Watch = (tx: EthTx, index: number) => TraceHooks | undefined;

/** Block fields that the caller of eth_call overrides. */
export interface BlockOverrides {
  readonly number: bigint | undefined;
  /** Unix seconds. */
  readonly time: bigint | undefined;
  readonly gasLimit: bigint | undefined;
  readonly feeRecipient: Address | undefined;
  readonly prevRandao: Hash | undefined;
  readonly baseFeePerGas: bigint | undefined;
  /** The value that BLOBBASEFEE returns; 1 when absent. */
  readonly blobBaseFee?: bigint | undefined;
}

export interface CallOptions {
  readonly state?: ReadonlyMap<string, AccountOverride> | undefined;
  readonly block?: BlockOverrides | undefined;
  /** Watches the execution. */
  readonly trace?: TraceHooks | undefined;
  /** One for several executions of a request; by default each has its own. */
  readonly guard?: Guard | undefined;
}
