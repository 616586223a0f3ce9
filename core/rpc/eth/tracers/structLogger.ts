import { bigintToFixed } from '../../../app/evm/numbers.ts';
import { to0xHex, toHex } from '../../../lib/bytes.ts';
import type { Frame, FrameEnd, Step, TraceState, TxEnd } from '../../../types/trace.ts';
import { serverError } from '../../rpcError.ts';
import { quantity } from '../goHex.ts';
import { isBeforehand } from './beforehand.ts';
import type { Tracer } from './tracer.ts';

export interface StructLoggerOptions {
  readonly disableStack: boolean;
  readonly disableStorage: boolean;
  readonly enableMemory: boolean;
  readonly enableReturnData: boolean;
  /** Bytes of JSON after which no more rows are recorded; 0 means no limit. */
  readonly limit: number;
}

/** Maximum rows plus words of stack, memory and return data plus slots, so that the answer fits in memory. */
const CELLS_MAX = 4_000_000;
const WORD_CHARS = 64;
const SLOAD = 0x54;
const SSTORE = 0x55;
const STIPEND = 2300n;
/**
 * Cost of the most memory that geth can price, 2^32 - 1 words. Beyond it, memory adds nothing to an instruction's cost.
 */
const MEMORY_COST_MAX = 3n * (2n ** 32n - 1n) + (2n ** 32n - 1n) ** 2n / 512n;
const PREVRANDAO = 0x44;

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

/** geth keeps the opcode name from before the merge. */
const nameOf = ({ code, op }: Step): string => (code === PREVRANDAO ? 'DIFFICULTY' : op);

/** An undefined opcode is named by its byte, which the step event does not tell. */
const NO_INSTRUCTION = 'invalid opcode: ';

function shownCost({ cost, leastCost }: Step): bigint {
  return cost > MEMORY_COST_MAX || cost < leastCost ? leastCost : cost;
}

const wordHex = (value: bigint): string => to0xHex(bigintToFixed(value, 32));

/** geth's default tracer: one row per instruction. */
export class StructLogger implements Tracer {
  readonly #options: StructLoggerOptions;
  readonly #rows: Row[] = [];
  /** Row of the last instruction; undefined if it is not recorded. */
  #last: Row | undefined;
  /** Constant gas of that instruction. */
  #leastCost = 0;
  /** Slots accessed so far by contract: geth repeats them in each row. */
  readonly #storage = new Map<string, Record<string, string>>();
  /** Records the slot that the last instruction accesses, once that instruction is known to have run. */
  #tellSlot: (() => void) | undefined;
  #bytes = 0;
  #cells = 0;
  /** Return data of the last call, as the running frame sees it. */
  #returned = '0x';
  readonly #kinds: Frame['kind'][] = [];
  #end: TxEnd | undefined;

  constructor(options: StructLoggerOptions) {
    this.#options = options;
  }

  step(step: Step, state: TraceState): void {
    const { disableStack, enableMemory, enableReturnData } = this.#options;
    this.#ran();
    const isFull = this.#isFull();
    this.#last = undefined;
    if (isFull) return;
    const row: Row = {
      pc: step.pc,
      op: nameOf(step),
      gas: Number(step.gas),
      gasCost: Number(shownCost(step)),
      depth: step.depth,
      ...(step.refund === 0n ? {} : { refund: Number(step.refund) }),
    };
    if (!disableStack) row.stack = step.stack.map(quantity);
    if (enableMemory && step.memory.length > 0) row.memory = memoryWords(step.memory);
    if (enableReturnData && this.#returned !== '0x') row.returnData = this.#returned;
    this.#tellSlot = this.#slotOf(row, step, state);
    const returned = Math.ceil((row.returnData?.length ?? 0) / WORD_CHARS);
    this.#cells += 1 + (row.stack?.length ?? 0) + (row.memory?.length ?? 0) + returned;
    this.#rows.push(row);
    this.#last = row;
    this.#leastCost = Number(step.leastCost);
  }

  #ran(): void {
    this.#tellSlot?.();
    this.#tellSlot = undefined;
  }

  /** The size of the last row is counted only now, when it is complete. */
  #isFull(): boolean {
    const { limit } = this.#options;
    if (this.#cells > CELLS_MAX) {
      this.#rows.length = 0;
      return true;
    }
    if (limit === 0) return false;
    if (this.#last !== undefined) this.#bytes += JSON.stringify(this.#last).length;
    return this.#bytes > limit;
  }

  #slotOf(row: Row, { code, stack, address }: Step, state: TraceState): (() => void) | undefined {
    if (this.#options.disableStorage || (code !== SLOAD && code !== SSTORE)) return undefined;
    const slot = stack.at(-1);
    const written = stack.at(-2);
    if (slot === undefined || (code === SSTORE && written === undefined)) return undefined;
    const key = toHex(address);
    const value =
      code === SSTORE
        ? (written as bigint)
        : BigInt(`0x0${toHex(state.storage(address, bigintToFixed(slot, 32)))}`);
    return () => {
      const known = this.#storage.get(key) ?? {};
      this.#storage.set(key, known);
      known[wordHex(slot)] = wordHex(value);
      row.storage = { ...known };
      this.#cells += Object.keys(known).length;
    };
  }

  /** The cost of a call includes the gas it passes on, without the stipend (geth's gasCall). */
  enter({ depth, kind, gas, value }: Frame): void {
    this.#kinds.push(kind);
    this.#returned = '0x';
    const row = this.#last;
    if (row === undefined || row.depth !== depth - 1 || depth === 1) return;
    if (kind === 'CREATE' || kind === 'CREATE2' || kind === 'SELFDESTRUCT') return;
    const hasStipend = value > 0n && (kind === 'CALL' || kind === 'CALLCODE');
    row.gasCost += Number(hasStipend ? gas - STIPEND : gas);
  }

  /** A creation sets return data only when it reverts (geth's opCreate). */
  exit({ output, error, depth }: FrameEnd): void {
    const isKept = !this.#kinds.pop()?.startsWith('CREATE') || error === 'execution reverted';
    this.#returned = isKept ? to0xHex(output) : '0x';
    const isHalted = error !== undefined && isBeforehand(error);
    if (isHalted) this.#tellSlot = undefined;
    else this.#ran();
    const row = this.#last;
    if (row === undefined || row.depth !== depth || error === undefined) return;
    if (isHalted) row.error = error;
    // geth computes no further cost if the constant gas alone is too much, or if the stack is wrong.
    if (isHalted && (row.gas < this.#leastCost || !error.startsWith('out of gas')))
      row.gasCost = this.#leastCost;
    if (error.startsWith(NO_INSTRUCTION)) row.op = error.slice(NO_INSTRUCTION.length);
  }

  end(end: TxEnd): void {
    this.#end = end;
  }

  get size(): number {
    return this.#cells * WORD_CHARS;
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
