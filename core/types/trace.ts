/** The hooks of an observer of an execution: those of geth's core/tracing. */
import type { Bytes } from '../lib/bytes.ts';
import type { Address } from './ids.ts';

export type FrameKind =
  | 'CALL'
  | 'CALLCODE'
  | 'DELEGATECALL'
  | 'STATICCALL'
  | 'CREATE'
  | 'CREATE2'
  | 'SELFDESTRUCT';

/** A call or a creation begins. */
export interface Frame {
  readonly kind: FrameKind;
  /** 1 for the transaction's own frame. */
  readonly depth: number;
  readonly from: Address;
  /** The callee, the contract to be created, or the receiver of a destroyed contract's coins. */
  readonly to: Address;
  readonly value: bigint;
  /** Includes the stipend. */
  readonly gas: bigint;
  readonly input: Bytes;
}

export interface FrameEnd {
  readonly depth: number;
  readonly gasUsed: bigint;
  readonly output: Bytes;
  /** geth's wording; undefined on success. */
  readonly error: string | undefined;
}

/** An instruction is about to run. */
export interface Step {
  readonly pc: number;
  readonly code: number;
  readonly op: string;
  readonly gas: bigint;
  /** Without the gas that a call passes on, which `Frame.gas` contains. */
  readonly cost: bigint;
  /** The instruction's base cost, whatever it works on. */
  readonly leastCost: bigint;
  readonly refund: bigint;
  readonly depth: number;
  /** The account whose storage and balance the instruction uses. */
  readonly address: Address;
  /** The top is last. */
  readonly stack: readonly bigint[];
  readonly memory: Bytes;
}

/** The state at the moment of a hook. */
export interface TraceState {
  account(
    address: Address,
  ): { readonly nonce: bigint; readonly balance: bigint; readonly codeHash: Bytes } | undefined;
  code(address: Address): Bytes;
  /** 32-byte slot, 32-byte value. */
  storage(address: Address, slot: Bytes): Bytes;
}

export interface TxStart {
  readonly from: Address;
  /** For a creation, the contract to be created. */
  readonly to: Address;
  readonly isCreate: boolean;
  readonly gasLimit: bigint;
  readonly coinbase: Address;
  /** The signers of the authorizations (EIP-7702). */
  readonly authorities: readonly Address[];
}

export interface TxEnd {
  /** As charged to the sender. */
  readonly gasUsed: bigint;
  readonly vmError: string | undefined;
  readonly returnValue: Bytes;
}

/** The block that the transaction runs in. */
export interface TraceEnv {
  readonly number: number;
  readonly coinbase: Address;
  /** Unix seconds. */
  readonly timestamp: number;
  readonly gasLimit: bigint;
  readonly baseFee: bigint;
}

export interface TraceHooks {
  /** Called before the gas is bought. */
  start?(tx: TxStart, state: TraceState, env: TraceEnv): void;
  /**
   * Called for each callee, the transaction's receiver included, but not for created contracts. Unlike the next three
   * it slows no instruction.
   */
  called?(to: Address, input: Bytes): void;
  enter?(frame: Frame): void;
  exit?(end: FrameEnd): void;
  step?(step: Step, state: TraceState): void;
  /** Called after everything is settled. */
  end?(tx: TxEnd, state: TraceState): void;
}
