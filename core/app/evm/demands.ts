/** What geth asks of an instruction before its price: its stack, and how far its memory reaches (core/vm/jump_table.go). */
import { MAX_UINT64 } from './numbers.ts';

/** Items that an instruction takes from the stack; a row for sixteen instructions. */
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

/** Where a range of memory is told: places from the top of the stack, or the length itself. */
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

/** Memory for which geth has a price; beyond it the square of its words would be no number. */
const PRICED_MAX = 0x1f_ffff_ffe0n;

/** How far the memory of an instruction reaches, in bytes. `stack`: top last. */
function reachOf(code: number, stack: readonly bigint[]): bigint {
  const at = (place: number): bigint => stack.at(-1 - place) ?? 0n;
  let end = 0n;
  for (const [offset, length] of RANGES.get(code) ?? []) {
    const size = typeof length === 'bigint' ? length : at(length);
    if (size > 0n && at(offset) + size > end) end = at(offset) + size;
  }
  return end;
}

/** Whether its memory is so large that nothing is reckoned. `stack`: top last. */
export const isUnpriced = (code: number, stack: readonly bigint[]): boolean =>
  reachOf(code, stack) > PRICED_MAX;

/** In geth's words; it is asked before the gas. `stack`: top last. */
export function stackFault(code: number, stack: readonly bigint[]): string | undefined {
  const needs = needsOf(code);
  if (stack.length < needs) return `stack underflow (${stack.length} <=> ${needs})`;
  return stack.length >= STACK_MAX && isGrowing(code)
    ? `stack limit reached ${stack.length} (${STACK_MAX - 1})`
    : undefined;
}

/** Whether the end of its memory, in whole words, is no number of 64 bits. `stack`: top last. */
export const isEndless = (code: number, stack: readonly bigint[]): boolean =>
  reachOf(code, stack) > MAX_UINT64 - 31n;
