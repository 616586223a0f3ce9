/**
 * What geth checks before the price of an instruction: stack size, constant gas and memory range
 * (core/vm/jump_table.go).
 */
import { MAX_UINT64 } from './numbers.ts';

/** Stack items that each instruction takes; one row per sixteen opcodes. */
const NEEDS = [
  '0222222233220000',
  '2222212221222210',
  '2000000000000000',
  '0100010303014031',
  '1000000001000000',
  '1122121200001230',
  '0000000000000000',
  '0000000000000000',
  '',
  '',
  '2345600000000000',
  '0000000000000000',
  '0000000000000000',
  '0000000000000000',
  '0000000000000000',
  '3772640000600201',
];
const STACK_MAX = 1024;
const [STOP, JUMPDEST, INVALID] = [0x00, 0x5b, 0xfe];
const PUTS_NOTHING = new Set([STOP, JUMPDEST, INVALID]);
const isDup = (code: number): boolean => code >> 4 === 0x8;
const isSwap = (code: number): boolean => code >> 4 === 0x9;

function needsOf(code: number): number {
  if (isDup(code)) return (code & 0xf) + 1;
  if (isSwap(code)) return (code & 0xf) + 2;
  return Number(NEEDS[code >> 4]?.[code & 0xf]);
}

const isGrowing = (code: number): boolean =>
  isDup(code) || (!isSwap(code) && needsOf(code) === 0 && !PUTS_NOTHING.has(code));

/**
 * Constant gas in geth where the library has another number: account access and calls (EIP-2929), and instructions whose
 * price depends only on operands (EXP, LOG).
 */
const CONSTANT_GAS: ReadonlyMap<number, bigint> = new Map([
  ...[0x31, 0x3b, 0x3c, 0x3f, 0xf1, 0xf2, 0xf4, 0xfa].map((code) => [code, 100n] as const),
  ...[0x0a, 0xa0, 0xa1, 0xa2, 0xa3, 0xa4].map((code) => [code, 0n] as const),
]);

/** Constant gas of an instruction; geth charges it before it looks at memory. `fee`: the library's number. */
export const constantGas = (code: number, fee: bigint): bigint => CONSTANT_GAS.get(code) ?? fee;

/** A memory range: stack positions (0 is the top) of its offset and length, or the length itself. */
type Range = readonly [offset: number, length: number | bigint];

const naming = (codes: readonly number[], ...ranges: readonly Range[]) =>
  codes.map((code) => [code, ranges] as const);

const RANGES: ReadonlyMap<number, readonly Range[]> = new Map([
  ...naming([0x20, 0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xf3, 0xfd], [0, 1]),
  ...naming([0x37, 0x39, 0x3e], [0, 2]),
  ...naming([0x3c], [1, 3]),
  ...naming([0x51, 0x52], [0, 32n]),
  ...naming([0x53], [0, 1n]),
  ...naming([0x5e], [0, 2], [1, 2]),
  ...naming([0xf0, 0xf5], [1, 2]),
  ...naming([0xf1, 0xf2], [3, 4], [5, 6]),
  ...naming([0xf4, 0xfa], [2, 3], [4, 5]),
]);

/** The most memory in bytes that geth can price: beyond it, the square of the word count overflows. */
const PRICED_MAX = 0x1f_ffff_ffe0n;

/** End of the memory that an instruction touches, in bytes. `stack`: top last. */
function reachOf(code: number, stack: readonly bigint[]): bigint {
  const at = (place: number): bigint => stack.at(-1 - place) ?? 0n;
  let end = 0n;
  for (const [offset, length] of RANGES.get(code) ?? []) {
    const size = typeof length === 'bigint' ? length : at(length);
    if (size > 0n && at(offset) + size > end) end = at(offset) + size;
  }
  return end;
}

/** Whether the memory range is so large that geth computes no price. `stack`: top last. */
export const isUnpriced = (code: number, stack: readonly bigint[]): boolean =>
  reachOf(code, stack) > PRICED_MAX;

/** The stack error in geth's words; geth checks the stack before the gas. `stack`: top last. */
export function stackFault(code: number, stack: readonly bigint[]): string | undefined {
  const needs = needsOf(code);
  if (stack.length < needs) return `stack underflow (${stack.length} <=> ${needs})`;
  return stack.length >= STACK_MAX && isGrowing(code)
    ? `stack limit reached ${stack.length} (${STACK_MAX - 1})`
    : undefined;
}

/** Whether the end of the memory range, rounded up to whole words, exceeds 64 bits. `stack`: top last. */
export const hasMemoryEndOverflow = (code: number, stack: readonly bigint[]): boolean =>
  reachOf(code, stack) > MAX_UINT64 - 31n;
