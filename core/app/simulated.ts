/** eth_simulateV1 between the RPC and the execution. */
import type { Bytes } from '../lib/bytes.ts';
import type { Result } from '../lib/result.ts';
import type { Address, Height } from '../types/ids.ts';
import type { TraceHooks } from '../types/trace.ts';
import type {
  AccountOverride,
  BlockOverrides,
  CallArgs,
  EthBlock,
  EthHeader,
  EthLog,
  EthTx,
} from './chain.ts';

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
