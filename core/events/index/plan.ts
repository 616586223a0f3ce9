/** A query in the form that the index can answer: heights, exact values and tests. */

import type { Height } from '../../types/ids.ts';
import { compareTime } from '../../types/ids.ts';
import { compareDecimal, type Decimal, leadingDecimal } from '../query/decimal.ts';
import type { Condition } from '../query/parser.ts';
import { canonicalText } from '../query/query.ts';
import { parseDate, parseTime } from '../query/time.ts';
import type { CompareOp } from '../query/token.ts';

export type ValueTest = (value: string) => boolean;

/** One event must satisfy all terms. */
export type Term =
  | { readonly kind: 'equal'; readonly tag: string; readonly value: string }
  | { readonly kind: 'test'; readonly tag: string; readonly test: ValueTest };

export interface Plan {
  /** Both inclusive. There are no heights if low is above high. */
  readonly low: Height;
  readonly high: Height;
  readonly heightTests: readonly ValueTest[];
  readonly terms: readonly Term[];
}

const NUMBER = /^[+-]?[0-9]+(\.[0-9]*)?$/;

const ordered = (op: CompareOp, order: number): boolean => {
  if (op === '=') return order === 0;
  if (op === '<') return order < 0;
  if (op === '<=') return order <= 0;
  return op === '>' ? order > 0 : order >= 0;
};

/** A stored value as a number. The whole text must be one, so `8atom` is none (unlike for subscriptions). */
function storedDecimal(text: string): Decimal | undefined {
  if (!NUMBER.test(text)) return undefined;
  const isSigned = text.startsWith('-') || text.startsWith('+');
  const value = leadingDecimal(isSigned ? text.slice(1) : text);
  return value === undefined || !text.startsWith('-') ? value : { ...value, digits: -value.digits };
}

function rangeTest({ op, argument }: Condition): ValueTest {
  const { kind, text } = argument as NonNullable<Condition['argument']>;
  const compare = op as CompareOp;
  if (kind === 'number') {
    const wanted = leadingDecimal(text);
    return (value) => {
      const number = storedDecimal(value);
      return number !== undefined && wanted !== undefined && ordered(compare, compareDecimal(number, wanted));
    };
  }
  const parse = kind === 'time' ? parseTime : parseDate;
  const wanted = parse(text);
  return (value) => {
    const time = parse(value);
    return time !== undefined && wanted !== undefined && ordered(compare, compareTime(time, wanted));
  };
}

const isRange = (condition: Condition): boolean => '<>'.includes(condition.op[0] as string);

/** Narrows the heights by `height op N`. If N is not a number, no heights remain. */
function narrowed(
  [low, high]: readonly [Height, Height],
  { op, argument }: Condition,
): readonly [Height, Height] {
  const wanted = leadingDecimal(argument?.text ?? '');
  if (wanted === undefined || argument?.kind === 'date' || argument?.kind === 'time') return [1, 0];
  const scale = 10n ** BigInt(wanted.scale);
  const [floor, isWhole] = [wanted.digits / scale, wanted.digits % scale === 0n];
  const below = Number(floor);
  if (op === '=') return isWhole ? [Math.max(low, below), Math.min(high, below)] : [1, 0];
  if (op === '>') return [Math.max(low, below + 1), high];
  if (op === '>=') return [Math.max(low, isWhole ? below : below + 1), high];
  if (op === '<') return [low, Math.min(high, isWhole ? below - 1 : below)];
  return [low, Math.min(high, below)];
}

/** `within` are the heights that can be searched. `heightTag` is `tx.height` or `block.height`. */
export function planOf(
  conditions: readonly Condition[],
  heightTag: string,
  within: readonly [Height, Height],
): Plan {
  const onHeight = conditions.filter(({ tag }) => tag === heightTag);
  const ranges = onHeight.filter(isRange);
  // CometBFT's rule: only the first equality counts, and none if there is a range.
  const bounds = ranges.length > 0 ? ranges : onHeight.filter(({ op }) => op === '=').slice(0, 1);
  const [low, high] = bounds.reduce(narrowed, within);
  const heightTests = onHeight.flatMap(({ op, argument }) =>
    op === 'CONTAINS' ? [(value: string) => value.includes(argument?.text ?? '')] : [],
  );
  return { low, high, heightTests, terms: termsOf(conditions.filter(({ tag }) => tag !== heightTag)) };
}

function termsOf(conditions: readonly Condition[]): readonly Term[] {
  const terms: Term[] = [];
  const ranges = new Map<string, ValueTest[]>();
  for (const condition of conditions) {
    const { tag, op, argument } = condition;
    const text = argument?.text ?? '';
    if (op === '=') terms.push({ kind: 'equal', tag, value: canonicalText(text) });
    else if (op === 'EXISTS') terms.push({ kind: 'test', tag, test: () => true });
    else if (op === 'CONTAINS') terms.push({ kind: 'test', tag, test: (value) => value.includes(text) });
    else ranges.set(tag, [...(ranges.get(tag) ?? []), rangeTest(condition)]);
  }
  // All bounds of one tag form one interval: a single value has to lie in it.
  for (const [tag, tests] of ranges)
    terms.push({ kind: 'test', tag, test: (value) => tests.every((test) => test(value)) });
  return terms;
}
