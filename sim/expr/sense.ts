import type { Comparison, Expr, Field, FunctionName } from './expr.ts';

/** The type of a value; undefined for a bare number, which can be a time or a count. */
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

/** Whether it makes no sense to compare or add the two, such as a height and a time. */
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

/** The words of a value that exists only while a block is being decided; undefined if the expression has none. */
export function ofDecision(expr: Expr): string | undefined {
  if (expr.kind === 'name' && expr.of === 'block') return expr.name;
  if (expr.kind === 'clock' && expr.isAtVote) return 'clocks at vote';
  for (const part of Object.values(expr)) {
    const found = typeof part === 'object' ? ofDecision(part) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

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
