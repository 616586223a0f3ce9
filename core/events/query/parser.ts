import { err, ok, type Result } from '../../lib/result.ts';
import { Scanner } from './scanner.ts';
import { type CompareOp, TOKEN_NAMES, type Token, type TokenKind } from './token.ts';

export interface Argument {
  readonly kind: 'string' | 'number' | 'time' | 'date';
  readonly text: string;
}

/** `tag op argument`. Only EXISTS has no argument. */
export interface Condition {
  readonly tag: string;
  readonly op: CompareOp | 'CONTAINS' | 'EXISTS';
  readonly argument: Argument | undefined;
}

const OPERATORS = ['<=', '>=', '<', '>', '=', 'contains', 'exists'] as const;
const ORDERED = ['number', 'time', 'date'] as const;
const EQUAL = ['number', 'time', 'date', 'string'] as const;
const TEXT = ['string'] as const;
/** A query of 512 bytes cannot hold more, but the parser has a limit of its own. */
const CONDITIONS_MAX = 512;

/** `a, b or c`, as Go's parser lists what it expected. */
function label(kinds: readonly TokenKind[]): string {
  const names = kinds.map((kind) => TOKEN_NAMES[kind]);
  return names.length === 1 ? (names[0] as string) : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}

function require(scanner: Scanner, kinds: readonly TokenKind[]): Result<Token, string> {
  const token = scanner.next();
  if (!token.ok) return err(`offset ${token.error.offset}: ${token.error.message}`);
  if (kinds.includes(token.value.kind)) return token;
  return err(`offset ${token.value.offset}: got ${TOKEN_NAMES[token.value.kind]}, wanted ${label(kinds)}`);
}

function parseCondition(scanner: Scanner): Result<Condition, string> {
  const tag = require(scanner, ['tag']);
  if (!tag.ok) return tag;
  const operator = require(scanner, OPERATORS);
  if (!operator.ok) return operator;
  const kind = operator.value.kind as (typeof OPERATORS)[number];
  if (kind === 'exists') return ok({ tag: tag.value.text, op: 'EXISTS', argument: undefined });
  const wanted = kind === 'contains' ? TEXT : kind === '=' ? EQUAL : ORDERED;
  const token = require(scanner, wanted);
  if (!token.ok) return token;
  const argument: Argument = { kind: token.value.kind as Argument['kind'], text: token.value.text };
  return ok({ tag: tag.value.text, op: kind === 'contains' ? 'CONTAINS' : kind, argument });
}

/** Parses CometBFT 0.38's query grammar. Users see the error after `failed to parse query: `. */
export function parseQuery(text: string): Result<readonly Condition[], string> {
  const scanner = new Scanner(text);
  const conditions: Condition[] = [];
  while (conditions.length < CONDITIONS_MAX) {
    const condition = parseCondition(scanner);
    if (!condition.ok) return condition;
    conditions.push(condition.value);
    const joint = scanner.next();
    if (!joint.ok && joint.error.eof) return ok(conditions);
    const kind = joint.ok ? joint.value.kind : 'invalid';
    if (kind === 'and') continue;
    const offset = joint.ok ? joint.value.offset : joint.error.offset;
    return err(`offset ${offset}: got ${TOKEN_NAMES[kind]}, want ${TOKEN_NAMES.and}`);
  }
  return err(`more than ${CONDITIONS_MAX} conditions`);
}
