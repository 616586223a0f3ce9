import { bigintToFixed } from '../../../app/evm/numbers.ts';
import { to0xHex, toHex } from '../../../lib/bytes.ts';
import type { Frame, FrameEnd, Step, TraceState, TxEnd } from '../../../types/trace.ts';
import { serverError } from '../../rpcError.ts';
import { quantity } from '../goHex.ts';
import type { Tracer } from './tracer.ts';

export interface StructLoggerOptions {
  readonly disableStack: boolean;
  readonly disableStorage: boolean;
  readonly enableMemory: boolean;
  readonly enableReturnData: boolean;
  /** Rows wanted; 0 for all. */
  readonly limit: number;
}

/** Rows and their stack words, memory words and slots together: beyond this the answer would not fit in memory. */
const CELLS_MAX = 4_000_000;
const SLOAD = 0x54;
const SSTORE = 0x55;
const STIPEND = 2300n;

interface Row {
  pc: number;
  op: string;
  gas: number;
  gasCost: number;
  depth: number;
  stack?: string[];
  memory?: string[];
  storage?: Record<string, string>;
  returnData?: string;
  refund?: number;
  error?: string;
}

const wordHex = (value: bigint): string => to0xHex(bigintToFixed(value, 32));

/** geth's default tracer: one row an instruction. */
export class StructLogger implements Tracer {
  readonly #options: StructLoggerOptions;
  readonly #rows: Row[] = [];
  /** Of the instruction that ran last; undefined when it is not shown. */
  #last: Row | undefined;
  /** Slots seen so far by contract, as geth repeats them. */
  readonly #storage = new Map<string, Record<string, string>>();
  #cells = 0;
  /** What the last call gave back, as the frame that runs sees it. */
  #returned = '0x';
  readonly #kinds: Frame['kind'][] = [];
  #end: TxEnd | undefined;

  constructor(options: StructLoggerOptions) {
    this.#options = options;
  }

  step(step: Step, state: TraceState): void {
    const { limit, disableStack, enableMemory, enableReturnData } = this.#options;
    this.#last = undefined;
    if (this.#cells > CELLS_MAX || (limit > 0 && this.#rows.length >= limit)) return;
    const row: Row = {
      pc: step.pc,
      op: step.op,
      gas: Number(step.gas),
      gasCost: Number(step.cost),
      depth: step.depth,
      ...(step.refund === 0n ? {} : { refund: Number(step.refund) }),
    };
    if (!disableStack) row.stack = step.stack.map(quantity);
    if (enableMemory && step.memory.length > 0) row.memory = memoryWords(step.memory);
    if (enableReturnData && this.#returned !== '0x') row.returnData = this.#returned;
    this.#addStorage(row, step, state);
    this.#cells += 1 + (row.stack?.length ?? 0) + (row.memory?.length ?? 0);
    this.#rows.push(row);
    this.#last = row;
  }

  #addStorage(row: Row, { code, stack, address }: Step, state: TraceState): void {
    if (this.#options.disableStorage || (code !== SLOAD && code !== SSTORE)) return;
    const slot = stack.at(-1);
    const written = stack.at(-2);
    if (slot === undefined || (code === SSTORE && written === undefined)) return;
    const key = toHex(address);
    const known = this.#storage.get(key) ?? {};
    this.#storage.set(key, known);
    const value =
      code === SSTORE
        ? (written as bigint)
        : BigInt(`0x0${toHex(state.storage(address, bigintToFixed(slot, 32)))}`);
    known[wordHex(slot)] = wordHex(value);
    row.storage = { ...known };
    this.#cells += Object.keys(known).length;
  }

  /** A call's cost includes the gas that it hands on, without the stipend (geth's gasCall). */
  enter({ depth, kind, gas, value }: Frame): void {
    this.#kinds.push(kind);
    this.#returned = '0x';
    const row = this.#last;
    if (row === undefined || row.depth !== depth - 1 || depth === 1) return;
    if (kind === 'CREATE' || kind === 'CREATE2' || kind === 'SELFDESTRUCT') return;
    const hasStipend = value > 0n && (kind === 'CALL' || kind === 'CALLCODE');
    row.gasCost += Number(hasStipend ? gas - STIPEND : gas);
  }

  /** Of a creation only a revert gives back something (geth's opCreate). */
  exit({ output, error, depth }: FrameEnd): void {
    const isKept = !this.#kinds.pop()?.startsWith('CREATE') || error === 'execution reverted';
    this.#returned = isKept ? to0xHex(output) : '0x';
    const row = this.#last;
    if (row !== undefined && row.depth === depth && error !== undefined && error !== 'execution reverted')
      row.error = error;
  }

  end(end: TxEnd): void {
    this.#end = end;
  }

  result(): unknown {
    if (this.#cells > CELLS_MAX) throw serverError('trace too large: use limit, or a tracer that sums up');
    const end = this.#end;
    const failed = end?.vmError !== undefined;
    const shown = !failed || end.vmError === 'execution reverted';
    return {
      gas: Number(end?.gasUsed ?? 0n),
      failed,
      returnValue: shown && end !== undefined ? to0xHex(end.returnValue) : '0x',
      structLogs: this.#rows,
    };
  }
}

function memoryWords(memory: Uint8Array): string[] {
  const words: string[] = [];
  for (let at = 0; at < memory.length; at += 32) words.push(to0xHex(memory.subarray(at, at + 32)));
  return words;
}
