import type { Money } from './money.ts';

/** What a quantifier ranges over. */
export const RANGES = ['correct', 'nodes', 'heights'] as const;
export type Range = (typeof RANGES)[number];

export const COMPARISONS = ['==', '!=', '<=', '>=', '<', '>'] as const;
export type Comparison = (typeof COMPARISONS)[number];

/** Functions and how many arguments they take. */
export const FUNCTIONS = { node: 1, block: 1, decidedAt: 1, hash: 1, evidence: 1, conflicting: 1 } as const;
export type FunctionName = keyof typeof FUNCTIONS;

export const FIELDS = [
  'height',
  'round',
  'up',
  'lives',
  'time',
  'txs',
  'evidence',
  'signatures',
  'peers',
  'banned',
  'drops',
  'pending',
  'queued',
] as const;
export type Field = (typeof FIELDS)[number];

/** The kind of thing that a name stands for; a height is a number. */
export type NameOf = 'node' | 'block' | 'count';

/** An expression over what the omniscient observer knows. It changes nothing. */
export type Expr =
  | { readonly kind: 'number'; readonly value: number | bigint; readonly isTime: boolean }
  | { readonly kind: 'name'; readonly name: string; readonly of: NameOf }
  | { readonly kind: 'money'; readonly what: Money }
  /** The fastest or slowest clock of correct nodes: now, or when they signed for the block before this one. */
  | { readonly kind: 'clock'; readonly which: 'max' | 'min'; readonly isAtVote: boolean }
  | { readonly kind: 'call'; readonly fn: FunctionName; readonly arg: Expr }
  | { readonly kind: 'field'; readonly of: Expr; readonly field: Field }
  | { readonly kind: 'not'; readonly of: Expr }
  | { readonly kind: 'and' | 'or'; readonly left: Expr; readonly right: Expr }
  | { readonly kind: 'sum'; readonly minus: boolean; readonly left: Expr; readonly right: Expr }
  | { readonly kind: 'compare'; readonly op: Comparison; readonly left: Expr; readonly right: Expr }
  | { readonly kind: 'within'; readonly of: Expr; readonly low: Expr; readonly high: Expr }
  /** The value is the same for all members of the quantifier around it. */
  | { readonly kind: 'equal'; readonly of: Expr }
  | {
      readonly kind: 'all' | 'exists' | 'count';
      readonly name: string;
      readonly range: Range;
      readonly body: Expr;
    };
