import type { InterpreterStep } from '@ethereumjs/evm';
import type { Bytes } from '../../lib/bytes.ts';
import type { Address } from '../../types/ids.ts';
import type { Step } from '../../types/trace.ts';
import { constantGas } from './instructionChecks.ts';
import { memoryOf } from './memoryRange.ts';

/** A step of a trace, from the library's step event. */
export class LibraryStep implements Step {
  readonly pc: number;
  readonly code: number;
  readonly op: string;
  readonly gas: bigint;
  readonly cost: bigint;
  readonly leastCost: bigint;
  readonly refund: bigint;
  readonly depth: number;
  readonly address: Address;
  readonly stack: readonly bigint[];
  readonly #memory: Bytes;
  readonly #words: bigint;

  /** `refund`: the refund granted before the first instruction. */
  constructor(event: InterpreterStep, refund: bigint) {
    const { pc, opcode, gasLeft, gasRefund, stack, depth, address, memory, memoryWordCount } = event;
    this.pc = pc;
    this.code = opcode.code;
    this.op = opcode.name;
    this.gas = gasLeft;
    this.cost = opcode.dynamicFee ?? BigInt(opcode.fee);
    this.leastCost = constantGas(opcode.code, BigInt(opcode.fee));
    this.refund = refund + gasRefund;
    this.depth = depth + 1;
    this.address = address.bytes;
    this.stack = stack;
    this.#memory = memory;
    this.#words = memoryWordCount;
  }

  /** Built on access: few tracers read it, and a loop may have paid for much memory. */
  get memory(): Bytes {
    return memoryOf(this.#memory, this.#words);
  }
}
