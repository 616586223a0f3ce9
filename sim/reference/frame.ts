import { present } from '../../core/lib/assert.ts';
import type { Bytes } from '../../core/lib/bytes.ts';
import { EMPTY } from '../../core/lib/bytes.ts';
import type { Machine } from './machine.ts';
import type { Row } from './rows.ts';
import type { Name } from './state.ts';
import { toBig, toWord } from './state.ts';

/** How a frame ends. */
export type Ending = 'stop' | 'revert' | 'fault';

/** Thrown to end a frame; `fault` takes all gas. */
export class Halt {
  readonly ending: Ending;
  readonly output: Bytes;
  /** The error in geth's words; undefined for a frame that ends well. */
  readonly error: string | undefined;

  constructor(ending: Ending, output: Bytes, error?: string) {
    this.ending = ending;
    this.output = output;
    this.error = error;
  }
}

export const OUT_OF_GAS = 'out of gas';
/** For a price that is charged in steps, one of which cannot be paid. */
export const STEP_UNPAID = 'out of gas: out of gas';
export const fault = (error: string): Halt => new Halt('fault', EMPTY, error);

/** Something that this reference does not implement: the run is not judged. */
export class Unknown extends Error {}

export interface FrameInput {
  readonly code: Bytes;
  readonly self: Name;
  readonly caller: Name;
  readonly value: bigint;
  readonly data: Bytes;
  readonly gas: number;
  readonly isStatic: boolean;
  readonly depth: number;
}

/** More memory than any gas here buys. */
const MEMORY_MAX = 1 << 22;
const PRICED_MAX = 32 * (2 ** 32 - 1);
const WORD_MASK = (1n << 256n) - 1n;
const words = (bytes: number): number => Math.ceil(bytes / 32);
const memoryGas = (count: number): number => 3 * count + Math.floor((count * count) / 512);

/** One call in progress: its gas, stack and memory. */
export class Frame {
  readonly input: FrameInput;
  readonly machine: Machine;
  gas: number;
  pc = 0;
  returned: Bytes = EMPTY;
  /** The row of the instruction that runs. */
  row: Row | undefined;
  readonly stack: bigint[] = [];
  readonly jumps: ReadonlySet<number>;
  #memory = new Uint8Array(0);

  constructor(machine: Machine, input: FrameInput) {
    this.machine = machine;
    this.input = input;
    this.gas = input.gas;
    this.jumps = jumpsOf(input.code);
  }

  use(gas: number, error = OUT_OF_GAS): void {
    if (this.gas < gas) throw fault(error);
    this.gas -= gas;
  }

  /** Notes what the instruction that runs has cost. */
  charged(): void {
    if (this.row === undefined) return;
    this.row.cost ??= this.row.gas - this.gas;
    this.row.refund ??= this.machine.state.refund;
  }

  push(value: bigint): void {
    this.stack.push(value & WORD_MASK);
  }

  pop(): bigint {
    return present(this.stack.pop(), 'an operand');
  }

  /** A size or an offset, capped at the largest safe integer, which no gas can pay for. */
  popSize(): number {
    const value = this.pop();
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) return Number.MAX_SAFE_INTEGER;
    return Number(value);
  }

  get memorySize(): number {
    return this.#memory.length;
  }

  /** More memory than 2^32 - 1 words has no price. */
  mayReach(offset: number, size: number): void {
    if (size > 0 && offset + size > PRICED_MAX) throw fault('out of gas: gas uint64 overflow');
  }

  /** Pays for memory up to there. */
  reach(offset: number, size: number, error = OUT_OF_GAS): void {
    if (size === 0) return;
    if (offset + size > MEMORY_MAX) throw fault(error);
    const [before, after] = [words(this.#memory.length), words(offset + size)];
    if (after <= before) return;
    this.use(memoryGas(after) - memoryGas(before), error);
    const grown = new Uint8Array(32 * after);
    grown.set(this.#memory);
    this.#memory = grown;
  }

  read(offset: number, size: number): Bytes {
    if (size === 0) return EMPTY;
    this.reach(offset, size);
    return this.#memory.slice(offset, offset + size);
  }

  write(offset: number, bytes: Bytes): void {
    this.reach(offset, bytes.length);
    if (bytes.length > 0) this.#memory.set(bytes, offset);
  }

  /** Copies for 3 gas a word, as every copying instruction does. */
  copy(from: Bytes, to: number, offset: number, size: number): void {
    this.payCopy(to, size);
    this.put(from, to, offset, size);
  }

  payCopy(to: number, size: number): void {
    this.use(3 + 3 * words(size));
    this.reach(to, size);
  }

  put(from: Bytes, to: number, offset: number, size: number): void {
    const bytes = new Uint8Array(size);
    bytes.set(from.slice(Math.min(offset, from.length), Math.min(offset + size, from.length)));
    this.write(to, bytes);
  }

  readWord(offset: number): bigint {
    return toBig(this.read(offset, 32));
  }

  writeWord(offset: number, value: bigint): void {
    this.write(offset, toWord(value));
  }

  mayWrite(): void {
    if (this.input.isStatic) throw fault('out of gas: write protection');
  }
}

const PUSH1 = 0x60;
const PUSH32 = 0x7f;

function jumpsOf(code: Bytes): ReadonlySet<number> {
  const jumps = new Set<number>();
  for (let i = 0; i < code.length; i++) {
    const op = code[i] as number;
    if (op === 0x5b) jumps.add(i);
    else if (op >= PUSH1 && op <= PUSH32) i += op - PUSH1 + 1;
  }
  return jumps;
}

export { words };
