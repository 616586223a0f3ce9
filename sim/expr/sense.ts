import type { Comparison, Expr, Field, FunctionName } from './expr.ts';

/** What a value is; undefined for a bare number, which goes with times and counts. */
export type Sense = 'truth' | 'time' | 'count' | 'node' | 'block' | 'hash' | undefined;

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

/** Fields of blocks; nodes have all that are not only of blocks. */
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
      return 'time';
    case 'field':
      return expr.field === 'up' ? 'truth' : expr.field === 'time' ? 'time' : 'count';
    case 'sum':
      return senseOf(expr.left) ?? senseOf(expr.right);
    case 'money':
    case 'count':
      return 'count';
    default:
      return 'truth';
  }
}

const isNumber = (sense: Sense): boolean => sense === undefined || sense === 'time' || sense === 'count';

/** Whether a comparison of the two, or a sum, says nothing, such as of a height and a time. */
export function clashes(left: Expr, right: Expr): boolean {
  const [one, other] = [senseOf(left), senseOf(right)];
  if (one === other) return false;
  if (one === undefined || other === undefined) return !isNumber(one) || !isNumber(other);
  return true;
}

/** Whether values such as these come before and after each other, and can be added. */
export const isOrdered = (expr: Expr): boolean => isNumber(senseOf(expr));

export const isOfOrder = (op: Comparison): boolean => op !== '==' && op !== '!=';

/** Whether it is the same in every run. */
export const isFixed = (expr: Expr): boolean =>
  expr.kind === 'number' || (expr.kind === 'sum' && isFixed(expr.left) && isFixed(expr.right));

/** What the function should have been given; undefined when it was. */
export function wrongArgument(fn: FunctionName, arg: Expr): string | undefined {
  const [sense, wanted] = [senseOf(arg), TAKES[fn]];
  if (sense === wanted || (wanted === 'count' && sense === undefined)) return undefined;
  return wanted === 'node' ? 'a node' : 'a height';
}

/** Who has such a field; undefined when it is there. */
export function wrongOwner(of: Expr, field: Field): string | undefined {
  const sense = senseOf(of);
  if (sense === 'node') return OF_BLOCKS_ONLY.includes(field) ? 'a block' : undefined;
  if (sense === 'block') return OF_BLOCKS.includes(field) ? undefined : 'a node';
  return 'a node or a block';
}
