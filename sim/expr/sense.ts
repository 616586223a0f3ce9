import type { Expr } from './parse.ts';

/** What a value is; undefined for what goes with several, such as a bare number. */
export type Sense = 'truth' | 'time' | 'count' | 'name' | 'hash' | undefined;

const CALLS = {
  node: 'name',
  block: 'name',
  decidedAt: 'time',
  hash: 'hash',
  evidence: 'count',
  conflicting: 'count',
} as const;

export function senseOf(expr: Expr): Sense {
  switch (expr.kind) {
    case 'number':
      return expr.isTime ? 'time' : undefined;
    case 'name':
      return undefined;
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

/** Whether a comparison of the two says nothing, such as of a height and a time. */
export function clashes(left: Expr, right: Expr): boolean {
  const [one, other] = [senseOf(left), senseOf(right)];
  if (one === other) return false;
  return one === 'truth' || other === 'truth' || (one !== undefined && other !== undefined);
}
