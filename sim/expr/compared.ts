import {
  type Chronicle,
  evaluate,
  isProcess,
  membersOf,
  type Scope,
  scopeAt,
  truth,
  type Value,
} from './evaluate.ts';
import type { Expr } from './expr.ts';

/** Members of a range that are shown. */
const SHOWN_MAX = 8;

export interface Compared {
  /** `v0: unknown, v1: 5e1f00aa`: the values on both sides of a comparison. */
  readonly text: string;
  /** Whether one of them is not known, which makes every comparison with it false. */
  readonly isUnknown: boolean;
}

/** The values that an expression compared, to say why it does not hold. */
export function compared(expr: Expr, chronicle: Chronicle): Compared {
  const values: Value[] = [];
  const text = textOf(expr, chronicle, scopeAt(chronicle, undefined), values);
  return { text, isUnknown: values.includes(undefined) };
}

function textOf(expr: Expr, c: Chronicle, scope: Scope, values: Value[]): string {
  const inner = (one: Expr): string => textOf(one, c, scope, values);
  switch (expr.kind) {
    case 'not':
      return `not ${inner(expr.of)}`;
    case 'and':
    case 'or':
      return `${inner(expr.left)} ${expr.kind} ${inner(expr.right)}`;
    case 'compare':
      return `${inner(expr.left)} ${expr.op} ${inner(expr.right)}`;
    case 'within':
      return `${inner(expr.of)} in (${inner(expr.low)}, ${inner(expr.high)})`;
    case 'equal':
      return inner(expr.of);
    case 'all':
    case 'exists':
    case 'count': {
      const members = membersOf(expr.range, c).map((member) => ({
        member,
        around: new Map([...scope, [expr.name, member]]),
      }));
      // For `equal` the value of every member, as no single one breaks it; else the members for which it is not true.
      const told = members.filter(
        ({ around }) => expr.body.kind === 'equal' || !truth(evaluate(expr.body, c, around, undefined)),
      );
      const shown = told
        .slice(0, SHOWN_MAX)
        .map(({ member, around }) => `${valueText(member)}: ${textOf(expr.body, c, around, values)}`);
      return [...shown, ...(told.length > SHOWN_MAX ? ['…'] : [])].join(', ');
    }
    default: {
      const value = evaluate(expr, c, scope, undefined);
      values.push(value);
      return valueText(value);
    }
  }
}

function valueText(value: Value): string {
  if (value === undefined) return 'unknown';
  if (typeof value !== 'object') return String(value);
  return isProcess(value) ? value.name : `block ${value.block.header.height}`;
}
