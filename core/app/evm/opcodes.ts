import type { Common } from '@ethereumjs/common';
import type { EVM } from '@ethereumjs/evm';
import { present } from '../../lib/assert.ts';
import type { Bytes } from '../../lib/bytes.ts';

/** What the library knows of the frame that runs; only what is touched here. */
export interface RunState {
  readonly gasLeft: bigint;
  readonly stack: {
    /** Top first; throws where there are fewer. */
    peek(count: number): bigint[];
    /** Top last. */
    getStack(): bigint[];
    popN(count: number): bigint[];
    push(value: bigint): void;
  };
  readonly memory: {
    /** What is made so far; more than is paid for. */
    readonly _store: Bytes;
    read: (offset: number, length: number, doesExtend?: boolean) => Bytes;
    extend(offset: number, length: number): void;
  };
  readonly stateManager: EVM['stateManager'];
  readonly interpreter: {
    /** EIP-2929. */
    readonly journal: { isWarmedAddress(address: Bytes): boolean };
    isStatic(): boolean;
    getReturnDataSize(): bigint;
    getCallData(): Bytes;
    getCode(): Bytes;
    getReturnData(): Bytes;
    create(gasLimit: bigint, value: bigint, code: Bytes): Promise<bigint>;
    create2(gasLimit: bigint, value: bigint, code: Bytes, salt: Bytes): Promise<bigint>;
  };
  /** What the gas handler of a call or creation leaves for it. */
  messageGasLimit: bigint | undefined;
}

/** The library's table of instructions: one for each engine. */
export interface OpcodeEntry {
  opcodeInfo: { readonly isAsync: boolean };
  opHandler: (frame: RunState, common: Common) => Promise<void> | undefined;
  gasHandler: (frame: RunState, gas: bigint, common: Common) => Promise<bigint>;
}

export const opcodeOf = (evm: EVM, code: number): OpcodeEntry =>
  present((evm as unknown as { readonly _opcodeMap: OpcodeEntry[] })._opcodeMap[code], 'a known instruction');
