/**
 * Whether an instruction can begin: its operands are on the stack, there is room for its result, its constant gas is
 * left, and its memory range is no larger than a uint64.
 */

import { OUT_OF_GAS } from './frame.ts';

const COUNT_LIMIT = 2n ** 64n;
const STACK_MAX = 1024;
/** End of the most memory that has a price. */
const PRICED_END = 32n * (2n ** 32n - 1n);

/** Instructions by number of operands. DUP, SWAP and LOG are computed from their opcode. */
const OPERANDS: readonly (readonly [count: number, ops: readonly number[]])[] = [
  [1, [0x15, 0x19, 0x1e, 0x31, 0x35, 0x3b, 0x3f, 0x40, 0x49, 0x50, 0x51, 0x54, 0x56, 0x5c, 0xff]],
  [2, [1, 2, 3, 4, 5, 6, 7, 10, 11, 0x10, 0x11, 0x12, 0x13, 0x14, 0x16, 0x17, 0x18, 0x1a, 0x1b, 0x1c, 0x1d]],
  [2, [0x20, 0x52, 0x53, 0x55, 0x57, 0x5d, 0xf3, 0xfd]],
  [3, [8, 9, 0x37, 0x39, 0x3e, 0x5e, 0xf0]],
  [4, [0x3c, 0xf5]],
  [6, [0xf4, 0xfa]],
  [7, [0xf1, 0xf2]],
];

const within = (op: number, first: number, last: number): boolean => op >= first && op <= last;

function operandsOf(op: number): number {
  if (within(op, 0x80, 0x8f)) return op - 0x7f;
  if (within(op, 0x90, 0x9f)) return op - 0x8e;
  if (within(op, 0xa0, 0xa4)) return op - 0x9e;
  return OPERANDS.find(([, ops]) => ops.includes(op))?.[0] ?? 0;
}

/** The instruction leaves one more item on the stack than it finds. */
const isMore = (op: number): boolean =>
  within(op, 0x5f, 0x8f) ||
  [0x30, 0x32, 0x33, 0x34, 0x36, 0x38, 0x3a, 0x3d, 0x58, 0x59, 0x5a].includes(op) ||
  (within(op, 0x41, 0x4a) && op !== 0x49);

/** The memory ranges (offset and size) that an instruction uses, from its operands. */
function memoryOf(op: number, operand: (place: number) => bigint): readonly (readonly [bigint, bigint])[] {
  const range = (at: number, size: number) => [operand(at), operand(size)] as const;
  if (op === 0x51 || op === 0x52) return [[operand(0), 32n]];
  if (op === 0x53) return [[operand(0), 1n]];
  if (op === 0x5e) return [range(0, 2), range(1, 2)];
  if (op === 0x3c) return [range(1, 3)];
  if (op === 0xf0 || op === 0xf5) return [range(1, 2)];
  if (op === 0xf1 || op === 0xf2) return [range(3, 4), range(5, 6)];
  if (op === 0xf4 || op === 0xfa) return [range(2, 3), range(4, 5)];
  if ([0x37, 0x39, 0x3e].includes(op)) return [range(0, 2)];
  return op === 0x20 || op === 0xf3 || op === 0xfd || within(op, 0xa0, 0xa4) ? [range(0, 1)] : [];
}

/** Constant gas of the instructions that use memory: charged before the memory is reckoned. */
const FIRST_GAS: ReadonlyMap<number, number> = new Map([
  ...[0x37, 0x39, 0x3e, 0x51, 0x52, 0x53, 0x5e].map((op) => [op, 3] as const),
  [0x20, 30],
  ...[0x3c, 0xf1, 0xf2, 0xf4, 0xfa].map((op) => [op, 100] as const),
  ...[0xf0, 0xf5].map((op) => [op, 32_000] as const),
]);

/** Calls and creations charge their base price before memory. */
const isReckonedInSteps = (op: number): boolean => within(op, 0xf0, 0xfa) && op !== 0xf3;

/** Why the instruction cannot begin, its whole price aside; undefined when it can. */
export function faultAtStart(op: number, stack: readonly bigint[], gas: number): string | undefined {
  const operands = operandsOf(op);
  if (stack.length < operands) return `stack underflow (${stack.length} <=> ${operands})`;
  if (stack.length === STACK_MAX && isMore(op)) return 'stack limit reached 1024 (1023)';
  if (gas < (FIRST_GAS.get(op) ?? 0)) return OUT_OF_GAS;
  const ranges = memoryOf(op, (place) => stack[stack.length - 1 - place] ?? 0n);
  const end = ranges.reduce((most, [at, size]) => (size !== 0n && at + size > most ? at + size : most), 0n);
  // Counted in whole words.
  if ((end + 31n) / 32n >= COUNT_LIMIT / 32n) return 'gas uint64 overflow';
  return end > PRICED_END && !isReckonedInSteps(op) ? 'out of gas: gas uint64 overflow' : undefined;
}
