import { unreachable } from '../../core/lib/assert.ts';
import type { Block } from '../../core/types/block.ts';
import type { Process } from '../machine/process.ts';
import type { Expr, Field, Range } from './expr.ts';
import type { Money } from './money.ts';

/** A block as the first correct node decided it, and when. */
export interface DecidedBlock {
  readonly block: Block;
  /** Virtual µs. */
  readonly at: number;
}

/** What expressions can ask about. */
export interface Chronicle {
  readonly nodes: readonly Process[];
  readonly blocks: ReadonlyMap<number, DecidedBlock>;
  /** Hash of the block that a node decided at a height, in hex. */
  hashOf(node: Process, height: number): string | undefined;
  /** Coins of the chain as this node has it. Without a node: as the first correct node has it that is up. */
  money(node: Process | undefined, what: Money): bigint | undefined;
  /** Pieces of evidence in the chain against a validator. */
  evidenceAgainst(name: string): number;
  /** Heights, rounds and steps for which the validator's key signed more than one value. */
  conflictsOf(name: string): number;
  /** The first or last clock of correct nodes, in virtual µs since 1970: when they signed for this height, or now. */
  clock(which: 'max' | 'min', votedHeight: number | undefined): number | undefined;
}

export type Value = number | bigint | boolean | string | Process | DecidedBlock | undefined;
export type Scope = ReadonlyMap<string, Value>;

/** The values of all members of a quantifier, for `equal`. */
export interface Around {
  readonly name: string;
  readonly values: readonly Value[];
}

/**
 * Whether the expression holds. Every comparison with an unknown value is false, such as a block that nobody decided.
 */
export const holds = (expr: Expr, chronicle: Chronicle, block?: DecidedBlock): boolean =>
  truth(evaluate(expr, chronicle, scopeAt(chronicle, block), undefined));

export function scopeAt({ blocks }: Chronicle, block: DecidedBlock | undefined): Scope {
  const prev = block === undefined ? undefined : blocks.get(block.block.header.height - 1);
  return new Map<string, Value>([
    ['block', block],
    ['prev', prev],
  ]);
}

export const truth = (value: Value): boolean =>
  value === true || (typeof value === 'number' && value !== 0) || (typeof value === 'bigint' && value !== 0n);

export function evaluate(expr: Expr, c: Chronicle, scope: Scope, around: Around | undefined): Value {
  const of = (one: Expr): Value => evaluate(one, c, scope, around);
  switch (expr.kind) {
    case 'number':
      return expr.value;
    case 'name':
      return scope.has(expr.name) ? scope.get(expr.name) : c.nodes.find((node) => node.name === expr.name);
    case 'money': {
      const self = scope.get('self');
      return c.money(isProcess(self) ? self : undefined, expr.what);
    }
    case 'clock': {
      const block = scope.get('block');
      const isKnown = typeof block === 'object' && !isProcess(block);
      if (!expr.isAtVote) return c.clock(expr.which, undefined);
      return isKnown ? c.clock(expr.which, block.block.header.height - 1) : undefined;
    }
    case 'call':
      return called(expr.fn, of(expr.arg), c, scope);
    case 'field':
      return fieldOf(of(expr.of), expr.field);
    case 'not':
      return !truth(of(expr.of));
    case 'and':
      return truth(of(expr.left)) && truth(of(expr.right));
    case 'or':
      return truth(of(expr.left)) || truth(of(expr.right));
    case 'sum':
      return added(of(expr.left), of(expr.right), expr.minus);
    case 'compare':
      return compared(expr.op, of(expr.left), of(expr.right));
    case 'within': {
      const [value, low, high] = [of(expr.of), of(expr.low), of(expr.high)];
      return compared('>', value, low) && compared('<', value, high);
    }
    case 'equal':
      return isEqual(expr.of, c, scope, around);
    case 'all':
    case 'exists':
    case 'count':
      return quantified(expr, c, scope);
    default:
      return unreachable(expr);
  }
}

export const membersOf = (range: Range, c: Chronicle): readonly Value[] => {
  if (range === 'heights') return [...c.blocks.keys()].sort((a, b) => a - b);
  return range === 'nodes' ? c.nodes : c.nodes.filter((node) => node.isCorrect);
};

function quantified(
  expr: Extract<Expr, { kind: 'all' | 'exists' | 'count' }>,
  c: Chronicle,
  scope: Scope,
): Value {
  const values = membersOf(expr.range, c);
  const around = { name: expr.name, values };
  const met = values.filter((value) =>
    truth(evaluate(expr.body, c, new Map([...scope, [expr.name, value]]), around)),
  ).length;
  if (expr.kind === 'count') return met;
  return expr.kind === 'all' ? met === values.length : met > 0;
}

function isEqual(of: Expr, c: Chronicle, scope: Scope, around: Around | undefined): boolean {
  if (around === undefined) return true;
  const all = around.values.map((value) =>
    evaluate(of, c, new Map([...scope, [around.name, value]]), undefined),
  );
  return all.every((value) => value !== undefined && value === all[0]);
}

function called(fn: string, arg: Value, c: Chronicle, scope: Scope): Value {
  switch (fn) {
    case 'node':
      return arg;
    case 'evidence':
      return isProcess(arg) ? c.evidenceAgainst(arg.name) : undefined;
    case 'conflicting':
      return isProcess(arg) ? c.conflictsOf(arg.name) : undefined;
    case 'hash': {
      const self = scope.get('self');
      const node = isProcess(self) ? self : c.nodes.find((one) => one.isCorrect);
      return typeof arg === 'number' && node !== undefined ? c.hashOf(node, arg) : undefined;
    }
    case 'decidedAt':
      return typeof arg === 'number' ? c.blocks.get(arg)?.at : undefined;
    default:
      return typeof arg === 'number' ? c.blocks.get(arg) : undefined;
  }
}

export const isProcess = (value: Value): value is Process => typeof value === 'object' && 'lives' in value;

function fieldOf(value: Value, field: Field): Value {
  if (isProcess(value)) {
    if (field === 'height') return value.decided;
    if (field === 'round') return value.position.round;
    if (field === 'lives') return value.lives;
    if (field === 'peers') return value.peerCounts?.connected();
    if (field === 'banned') return value.peerCounts?.banned();
    if (field === 'drops') return value.drops;
    if (field === 'pending' || field === 'queued') return value.node?.rpc?.pool.stats()[field];
    return field === 'up' ? value.state === 'up' : undefined;
  }
  if (typeof value !== 'object') return undefined;
  const { header, txs, evidence, lastCommit } = value.block;
  switch (field) {
    case 'height':
      return header.height;
    case 'time':
      return header.time.seconds * 1_000_000 + Math.floor(header.time.nanos / 1_000);
    case 'txs':
      return txs.length;
    case 'evidence':
      return evidence.length;
    case 'signatures':
      return lastCommit.signatures.filter((one) => one.flag === 'commit').length;
    case 'round':
      return lastCommit.round;
    default:
      return undefined;
  }
}

const isNumeric = (value: Value): value is number | bigint =>
  typeof value === 'number' || typeof value === 'bigint';

function added(a: Value, b: Value, minus: boolean): Value {
  if (typeof a === 'number' && typeof b === 'number') return minus ? a - b : a + b;
  if (!isNumeric(a) || !isNumeric(b)) return undefined;
  return minus ? BigInt(a) - BigInt(b) : BigInt(a) + BigInt(b);
}

function compared(op: string, left: Value, right: Value): boolean {
  if (left === undefined || right === undefined) return false;
  const areNumbers = isNumeric(left) && isNumeric(right);
  const isSame = areNumbers ? BigInt(left) === BigInt(right) : left === right;
  if (op === '==') return isSame;
  if (op === '!=') return !isSame;
  if (!areNumbers) return false;
  if (op === '<') return left < right;
  if (op === '<=') return left <= right;
  return op === '>' ? left > right : left >= right;
}
