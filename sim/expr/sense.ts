import type { Comparison, Expr, Field, FunctionName } from './expr.ts';

/**
 * The type of a value; undefined for a bare number, which can be a date, a time or a count. Dates are counted from 1970,
 * times of the run from its start.
 */
export type Sense = 'truth' | 'date' | 'time' | 'count' | 'node' | 'block' | 'hash' | undefined;

const CALLS = {
  node: 'node',
  block: 'block',
  decidedAt: 'time',
  hash: 'hash',
  evidence: 'count',
  conflicting: 'count',
} as const satisfies Readonly<Record<FunctionName, Sense>>;

/** What the functions take. */
const TAKES = {
  node: 'node',
  evidence: 'node',
  conflicting: 'node',
  block: 'count',
  decidedAt: 'count',
  hash: 'count',
} as const satisfies Readonly<Record<FunctionName, Sense>>;

/** Fields of blocks. Nodes have all fields but OF_BLOCKS_ONLY. */
const OF_BLOCKS: readonly Field[] = ['height', 'round', 'time', 'txs', 'evidence', 'signatures'];
const OF_BLOCKS_ONLY: readonly Field[] = ['time', 'txs', 'evidence', 'signatures'];

export function senseOf(expr: Expr): Sense {
  switch (expr.kind) {
    case 'number':
      return expr.isTime ? 'time' : undefined;
    case 'name':
      return expr.of;
    case 'call':
      return CALLS[expr.fn];
    case 'clock':
      return 'date';
    case 'field':
      return expr.field === 'up' ? 'truth' : expr.field === 'time' ? 'date' : 'count';
    case 'sum': {
      const [left, right] = [senseOf(expr.left), senseOf(expr.right)];
      if (left === 'date' && right === 'date') return 'time';
      return right === 'date' ? right : (left ?? right);
    }
    case 'money':
    case 'count':
      return 'count';
    default:
      return 'truth';
  }
}

const isNumber = (sense: Sense): boolean =>
  sense === undefined || sense === 'date' || sense === 'time' || sense === 'count';

/** Whether the two can be added, or the second taken from the first. A date and a time make a date, two dates a time. */
export function canAdd(left: Expr, right: Expr, minus: boolean): boolean {
  const [one, other] = [senseOf(left), senseOf(right)];
  if (one !== 'date' && other !== 'date') return !clashes(left, right);
  if (one === other) return minus;
  const rest = one === 'date' ? other : one;
  return (rest === 'time' || rest === undefined) && (one === 'date' || !minus);
}

/** Whether it makes no sense to compare the two, such as a height and a time. */
export function clashes(left: Expr, right: Expr): boolean {
  const [one, other] = [senseOf(left), senseOf(right)];
  if (one === other) return false;
  if (one === undefined || other === undefined) return !isNumber(one) || !isNumber(other);
  return true;
}

/** Whether values of this type have an order and can be added. */
export const isOrdered = (expr: Expr): boolean => isNumber(senseOf(expr));

export const isOfOrder = (op: Comparison): boolean => op !== '==' && op !== '!=';

/** Whether the value is the same in every run. */
export const isFixed = (expr: Expr): boolean =>
  expr.kind === 'number' || (expr.kind === 'sum' && isFixed(expr.left) && isFixed(expr.right));

/** The words of values that exist only while a block is being decided. */
export function ofDecision(expr: Expr): readonly string[] {
  if (expr.kind === 'name') return expr.of === 'block' ? [expr.name] : [];
  if (expr.kind === 'clock') return expr.isAtVote ? [AT_VOTE] : [];
  return Object.values(expr).flatMap((part) => (typeof part === 'object' ? ofDecision(part) : []));
}

const AT_VOTE = 'clocks at vote';

/** Which of these words exist only if there was a block before. */
export const OF_BLOCK_BEFORE: readonly string[] = ['prev', AT_VOTE];

/** What the function takes; undefined if `arg` is such a value. */
export function wrongArgument(fn: FunctionName, arg: Expr): string | undefined {
  const [sense, wanted] = [senseOf(arg), TAKES[fn]];
  if (sense === wanted || (wanted === 'count' && sense === undefined)) return undefined;
  return wanted === 'node' ? 'a node' : 'a height';
}

/** What has such a field; undefined if `of` has it. */
export function wrongOwner(of: Expr, field: Field): string | undefined {
  const sense = senseOf(of);
  if (sense === 'node') return OF_BLOCKS_ONLY.includes(field) ? 'a block' : undefined;
  if (sense === 'block') return OF_BLOCKS.includes(field) ? undefined : 'a node';
  return 'a node or a block';
}
