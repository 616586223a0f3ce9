import type { Common } from '@ethereumjs/common';
import type { EVM } from '@ethereumjs/evm';
import { present } from '../../lib/assert.ts';
import type { Bytes } from '../../lib/bytes.ts';

/** The library's state of the running frame; only the members used here. */
export interface RunState {
  readonly gasLeft: bigint;
  readonly stack: {
    /** Top first. Throws if the stack has fewer items. */
    peek(count: number): bigint[];
    /** Top last. */
    getStack(): bigint[];
    popN(count: number): bigint[];
    push(value: bigint): void;
  };
  readonly memory: {
    /** The allocated memory, which may be more than is paid for. */
    readonly _store: Bytes;
    read: (offset: number, length: number, doesExtend?: boolean) => Bytes;
    extend(offset: number, length: number): void;
  };
  readonly stateManager: EVM['stateManager'];
  readonly interpreter: {
    /** Whether EIP-2929 counts an address as warm. */
    readonly journal: { isWarmedAddress(address: Bytes): boolean };
    isStatic(): boolean;
    getReturnDataSize(): bigint;
    getCallData(): Bytes;
    getCode(): Bytes;
    getReturnData(): Bytes;
    create(gasLimit: bigint, value: bigint, code: Bytes): Promise<bigint>;
    create2(gasLimit: bigint, value: bigint, code: Bytes, salt: Bytes): Promise<bigint>;
  };
  /** The gas that the gas handler of a call or creation reserves for it. */
  messageGasLimit: bigint | undefined;
}

/** An entry of the library's instruction table; each engine has its own table. */
export interface OpcodeEntry {
  opcodeInfo: { readonly isAsync: boolean };
  opHandler: (frame: RunState, common: Common) => Promise<void> | undefined;
  gasHandler: (frame: RunState, gas: bigint, common: Common) => Promise<bigint>;
}

export const opcodeOf = (evm: EVM, code: number): OpcodeEntry =>
  present((evm as unknown as { readonly _opcodeMap: OpcodeEntry[] })._opcodeMap[code], 'a known instruction');
