/** Executions for readers: calls, estimates, traces, draft blocks, simulations. None of them changes the state. */
import type { Bytes } from '../lib/bytes.ts';
import type { Result } from '../lib/result.ts';
import type { Guard, Pause } from '../types/app.ts';
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

/** The contents of the block that this node would propose now. */
export interface PendingSource {
  /** Consensus transactions in the order of the proposal. */
  readonly txs: readonly Bytes[];
  /** Unix seconds. */
  readonly seconds: number;
  /** Receives the tips. */
  readonly coinbase: Address;
  readonly pause?: Pause | undefined;
}

/** The block after the head, as it would be if this node proposed it now. */
export interface PendingBlock {
  readonly block: EthBlock;
  /** The state after the block; calls on it run in that block. */
  readonly view: View;
  /** Base fee of the block that follows. */
  readonly nextBaseFee: bigint;
}

export interface SimulationOptions {
  /** True: check nonces, fees and funds as in a real block. False: as lenient as eth_call. */
  readonly validation: boolean;
}

/** A block to simulate. Values that it omits derive from the block before it. */
export interface SimulatedBlock {
  readonly number: Height;
  /** Unix seconds. */
  readonly timestamp: number;
  readonly header?: Partial<BlockOverrides> | undefined;
  readonly state?: ReadonlyMap<string, AccountOverride> | undefined;
}

/** A call with its defaults filled in. */
export interface SimulatedCall extends CallArgs {
  readonly from: Address;
  readonly gas: bigint;
  readonly nonce: bigint;
}

/** Why a call cannot start; `message` is geth's text. */
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
  /** Before refunds: the gas limit had to cover this. */
  readonly gasPeak: bigint;
  readonly returnValue: Bytes;
  /** geth's wording; undefined on success. */
  readonly vmError: string | undefined;
  readonly logs: readonly Omit<EthLog, 'logIndex'>[];
}

/** A chain of simulated blocks on top of a state. Call `begin`, then `run` any number of times, then `end`; repeat. */
export interface Simulation {
  /** Header of the last block that ended; at first, that of the block the simulation starts from. */
  readonly parent: EthHeader;
  begin(block: SimulatedBlock): void;
  nonceOf(address: Address): bigint;
  /** Of the open block, like `gasUsed`. */
  readonly gasLimit: bigint;
  readonly gasUsed: bigint;
  run(call: SimulatedCall, trace?: TraceHooks): Promise<Result<SimulatedResult, SimulationRefusal>>;
  /** Ends the block. `transactions`: its calls as transactions, in order. */
  end(transactions: readonly EthTx[]): EthBlock;
}

export interface EvmService {
  /** `source` is called when the work starts, which may be after other requests of this kind. */
  pending(source: () => PendingSource): Promise<PendingBlock>;
  /** Runs a call on the state after `view.height`, in the context of that block. The state does not change. */
  call(view: View, args: CallArgs, options?: CallOptions): Promise<CallOutcome>;
  /** geth's binary search; `gasCap` is the upper limit. */
  estimateGas(
    view: View,
    args: CallArgs,
    gasCap: bigint,
    options?: CallOptions,
  ): Promise<{ readonly kind: 'gas'; readonly gas: bigint } | Exclude<CallOutcome, { kind: 'returned' }>>;
  /** Simulates blocks on top of the view's block. Nothing is stored. */
  simulate(view: View, options: SimulationOptions): Simulation;
  /** A new guard, to share the time of one request among its calls; undefined where time has no limit. */
  guard(): Guard | undefined;
  /** Whether the address is a precompile. `addressHex`: 40 lower-case digits. */
  isPrecompile(addressHex: string): boolean;
  /**
   * Runs a committed block again exactly as it ran. `watch` chooses the hooks for each Ethereum transaction. Stops
   * after `ethCount` Ethereum transactions. False when the block or its parent's state is not kept.
   */
  replay(height: Height, watch: Watch, ethCount?: number): Promise<boolean>;
  /** Like `replay`, but stops after one Ethereum transaction, and calls `watch` only for that one. */
  replayOne(height: Height, ethIndex: number, watch: Watch): Promise<boolean>;
  /**
   * The state of a committed block just before an Ethereum transaction; after the whole block if it has no such
   * transaction. Undefined when the state is not kept.
   */
  stateWithin(height: Height, ethIndex: number): Promise<View | undefined>;
  /** The state root after each Ethereum transaction of a committed block; undefined when not kept. */
  rootsWithin(height: Height): Promise<readonly Hash[] | undefined>;
  /** Runs an uncommitted block on a committed one. The error says why one of its transactions is not allowed in it. */
  runOn(parentHeight: Height, source: PendingSource, watch: Watch): Promise<Result<void, string>>;
}
