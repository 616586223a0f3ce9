import type { InterpreterStep } from '@ethereumjs/evm';
import type { Bytes } from '../../lib/bytes.ts';
import type { Address } from '../../types/ids.ts';
import type { Step } from '../../types/trace.ts';
import { memoryOf } from './memoryRange.ts';

/**
 * Constant gas in geth of instructions for which the library has another number: account access and calls (EIP-2929),
 * and those whose price depends only on operands (EXP, LOG).
 */
const LEAST_COST: ReadonlyMap<number, bigint> = new Map([
  ...[0x31, 0x3b, 0x3c, 0x3f, 0xf1, 0xf2, 0xf4, 0xfa].map((code) => [code, 100n] as const),
  ...[0x0a, 0xa0, 0xa1, 0xa2, 0xa3, 0xa4].map((code) => [code, 0n] as const),
]);

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
    this.leastCost = LEAST_COST.get(opcode.code) ?? BigInt(opcode.fee);
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
