/** What an observer of an execution hears: geth's core/tracing hooks. */
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

/** A call or creation that begins. */
export interface Frame {
  readonly kind: FrameKind;
  /** 1 for the transaction's own. */
  readonly depth: number;
  readonly from: Address;
  /** The callee, the contract to be, or who gets the coins of a destroyed one. */
  readonly to: Address;
  readonly value: bigint;
  /** With the stipend. */
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

/** An instruction that is about to run. */
export interface Step {
  readonly pc: number;
  readonly code: number;
  readonly op: string;
  readonly gas: bigint;
  /** Without the gas that a call hands on: `Frame.gas` tells it. */
  readonly cost: bigint;
  /** What the instruction costs whatever it works on. */
  readonly leastCost: bigint;
  readonly refund: bigint;
  readonly depth: number;
  /** Whose storage and balance it works on. */
  readonly address: Address;
  /** Top last. */
  readonly stack: readonly bigint[];
  readonly memory: Bytes;
}

/** The state as it is at the moment of a hook. */
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
  /** Of a creation the contract to be. */
  readonly to: Address;
  readonly isCreate: boolean;
  readonly gasLimit: bigint;
  readonly coinbase: Address;
  /** EIP-7702: who signed the authorizations. */
  readonly authorities: readonly Address[];
}

export interface TxEnd {
  /** As charged. */
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
  /** Before the gas is bought. */
  start?(tx: TxStart, state: TraceState, env: TraceEnv): void;
  /** Whoever is called, the transaction's own receiver included, not who is made. Costs nothing for an instruction, unlike the next three. */
  called?(to: Address, input: Bytes): void;
  enter?(frame: Frame): void;
  exit?(end: FrameEnd): void;
  step?(step: Step, state: TraceState): void;
  /** After everything is settled. */
  end?(tx: TxEnd, state: TraceState): void;
}
