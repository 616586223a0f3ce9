/** What readers may have executed: calls, estimates, traces, drafts of blocks, simulations. Nothing of it stays. */
import type { Bytes } from '../lib/bytes.ts';
import type { Result } from '../lib/result.ts';
import type { Pause } from '../types/app.ts';
import type { Address, Hash, Height } from '../types/ids.ts';
import type { TraceHooks } from '../types/trace.ts';
import type {
  AccountOverride,
  BlockOverrides,
  CallArgs,
  CallOptions,
  CallOutcome,
  EthBlock,
  EthHeader,
  EthLog,
  EthTx,
  View,
  Watch,
} from './chain.ts';

/** What a block that this node proposed now would be made of. */
export interface PendingSource {
  /** Consensus transactions in the order of a proposal. */
  readonly txs: readonly Bytes[];
  /** Unix seconds. */
  readonly seconds: number;
  /** Who would earn the tips. */
  readonly coinbase: Address;
  readonly pause?: Pause | undefined;
}

/** The block after the head as it would be if this node proposed it now. */
export interface PendingBlock {
  readonly block: EthBlock;
  /** The state after it; calls on it run in the block. */
  readonly view: View;
  /** Base fee of the block after it. */
  readonly nextBaseFee: bigint;
}

export interface SimulationOptions {
  /** Nonces, fees and funds count as in a real block; otherwise as in eth_call. */
  readonly validation: boolean;
}

/** A block to simulate; what it does not say follows from the one before. */
export interface SimulatedBlock {
  readonly number: Height;
  /** Unix seconds. */
  readonly timestamp: number;
  readonly header?: Partial<BlockOverrides> | undefined;
  readonly state?: ReadonlyMap<string, AccountOverride> | undefined;
}

/** A call with its defaults filled. */
export interface SimulatedCall extends CallArgs {
  readonly from: Address;
  readonly gas: bigint;
  readonly nonce: bigint;
}

/** Why a call cannot even start; `message` in geth's words. */
export interface SimulationRefusal {
  readonly code:
    | 'nonce-too-low'
    | 'nonce-too-high'
    | 'fee-cap-too-low'
    | 'fees'
    | 'funds'
    | 'intrinsic'
    | 'init-code'
    | 'other';
  readonly message: string;
}

export interface SimulatedResult {
  readonly gasUsed: bigint;
  /** Before refunds: what the limit had to cover. */
  readonly gasPeak: bigint;
  readonly returnValue: Bytes;
  /** geth's wording; undefined on success. */
  readonly vmError: string | undefined;
  readonly logs: readonly Omit<EthLog, 'logIndex'>[];
}

/** Blocks that never were, one after another on a state: `begin`, `run`…, `end`, and again. */
export interface Simulation {
  /** Of the last block ended, at first of the block that all begins on. */
  readonly parent: EthHeader;
  begin(block: SimulatedBlock): void;
  nonceOf(address: Address): bigint;
  /** Of the open block. */
  readonly gasLimit: bigint;
  readonly gasUsed: bigint;
  run(call: SimulatedCall, trace?: TraceHooks): Promise<Result<SimulatedResult, SimulationRefusal>>;
  /** `transactions`: what the calls of the block would have been, in order. */
  end(transactions: readonly EthTx[]): EthBlock;
}

export interface EvmService {
  /** `source` is asked when the work begins, which may be after other such work. */
  pending(source: () => PendingSource): Promise<PendingBlock>;
  /** Runs on the state after `view.height`, in that block's context, without touching it. */
  call(view: View, args: CallArgs, options?: CallOptions): Promise<CallOutcome>;
  /** geth's binary search; `gasCap` bounds it. */
  estimateGas(
    view: View,
    args: CallArgs,
    gasCap: bigint,
    options?: CallOptions,
  ): Promise<{ readonly kind: 'gas'; readonly gas: bigint } | Exclude<CallOutcome, { kind: 'returned' }>>;
  /** Blocks on top of the view's; nothing of them stays. */
  simulate(view: View, options: SimulationOptions): Simulation;
  /** Whether calls to this address run no code of the state. `addressHex`: 40 lower-case digits. */
  isPrecompile(addressHex: string): boolean;
  /**
   * Runs a committed block again, exactly as it ran, showing each Ethereum transaction to whom `watch` names for it;
   * ends after the `ethCount`th Ethereum transaction. False when the block or its parent's state is not kept.
   */
  replay(height: Height, watch: Watch, ethCount?: number): Promise<boolean>;
  /** As `replay`, ending with one Ethereum transaction, which alone `watch` is told of. */
  replayOne(height: Height, ethIndex: number, watch: Watch): Promise<boolean>;
  /**
   * The state of a committed block just before an Ethereum transaction, or after all when it has no such; undefined
   * when not kept.
   */
  stateWithin(height: Height, ethIndex: number): Promise<View | undefined>;
  /** State roots after each Ethereum transaction of a committed block; undefined when not kept. */
  rootsWithin(height: Height, pause?: Pause): Promise<readonly Hash[] | undefined>;
  /** Runs a block that never was on a committed one; the error says why a transaction could not be in it. */
  runOn(parentHeight: Height, source: PendingSource, watch: Watch): Promise<Result<void, string>>;
}
