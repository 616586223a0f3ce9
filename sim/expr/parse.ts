import { err, ok, type Result } from '../../core/lib/result.ts';
import { parseDuration } from '../scenario/units.ts';
import {
  COMPARISONS,
  type Expr,
  FIELDS,
  FUNCTIONS,
  type FunctionName,
  type NameOf,
  RANGES,
  type Range,
} from './expr.ts';
import type { Money } from './money.ts';
import {
  canAdd,
  clashes,
  isFixed,
  isOfOrder,
  isOrdered,
  senseOf,
  wrongArgument,
  wrongOwner,
} from './sense.ts';
import { Stop, type Token, tokensOf } from './tokens.ts';

export interface ExprError {
  /** Characters before the error in the text. */
  readonly offset: number;
  readonly message: string;
}

const DEPTH_MAX = 50;
/** Digits of 2^256, above which no chain counts coins. */
const DIGITS_MAX = 78;
const QUANTITIES = 'sum(balances), supply, burned, genesis.supply, max(correct clocks), min(correct clocks)';
const QUANTIFIERS = ['all', 'exists', 'count'] as const;

/**
 * @param known Names of nodes. Any other name has to be a variable.
 * @param hasPeers Whether nodes discover each other, and so have peers to count.
 */
export function parseExpr(
  text: string,
  known: readonly string[],
  hasPeers: boolean,
): Result<Expr, ExprError> {
  try {
    return ok(new Parser(tokensOf(text), text.length, known, hasPeers).whole());
  } catch (error) {
    if (error instanceof Stop) return err({ offset: error.offset, message: error.message });
    throw error;
  }
}

class Parser {
  readonly #tokens: readonly Token[];
  readonly #end: number;
  readonly #known: readonly string[];
  readonly #hasPeers: boolean;
  /** Variables in scope. Of equal names the last one counts. */
  readonly #variables: (readonly [name: string, of: NameOf])[] = [
    ['block', 'block'],
    ['prev', 'block'],
  ];
  #at = 0;
  #depth = 0;
  #quantifiers = 0;

  constructor(tokens: readonly Token[], end: number, known: readonly string[], hasPeers: boolean) {
    this.#tokens = tokens;
    this.#end = end;
    this.#known = known;
    this.#hasPeers = hasPeers;
  }

  whole(): Expr {
    const expr = this.#or();
    if (this.#peek() !== undefined) this.#fail(`expected the end, found "${this.#peek()}"`);
    this.#needTruth(expr, 0);
    return expr;
  }

  #peek(): string | undefined {
    return this.#tokens[this.#at]?.text;
  }

  #fail(message: string): never {
    throw new Stop(this.#tokens[this.#at]?.offset ?? this.#end, message);
  }

  #take(text: string): boolean {
    if (this.#peek() !== text) return false;
    this.#at++;
    return true;
  }

  #need(text: string): void {
    if (!this.#take(text))
      this.#fail(`expected "${text}", found ${JSON.stringify(this.#peek() ?? 'the end')}`);
  }

  #or(): Expr {
    return this.#joined('or', () => this.#joined('and', () => this.#not()));
  }

  #joined(kind: 'and' | 'or', operand: () => Expr): Expr {
    const start = this.#at;
    let left = operand();
    while (this.#take(kind)) {
      this.#needTruth(left, start);
      left = { kind, left, right: this.#truth(operand) };
    }
    return left;
  }

  #truth(read: () => Expr): Expr {
    const start = this.#at;
    const expr = read();
    this.#needTruth(expr, start);
    return expr;
  }

  /** @param start Index of the first token of the expression. */
  #needTruth(expr: Expr, start: number): void {
    if (senseOf(expr) === 'truth') return;
    this.#at = start;
    this.#fail('expected what is true or false, such as a comparison');
  }

  #not(): Expr {
    if (++this.#depth > DEPTH_MAX) this.#fail(`expected at most ${DEPTH_MAX} parts inside each other`);
    const expr = this.#denied();
    this.#depth--;
    return expr;
  }

  #denied(): Expr {
    if (this.#take('not')) return { kind: 'not', of: this.#truth(() => this.#not()) };
    for (const kind of QUANTIFIERS) if (this.#take(kind)) return this.#quantifier(kind);
    return this.#comparison();
  }

  /** `all n in correct: …`, `exists h: …` over heights, `all correct: …` with `self` as each. */
  #quantifier(kind: 'all' | 'exists' | 'count'): Expr {
    const name = this.#peek() ?? this.#fail('expected a name');
    this.#at++;
    const isRange = RANGES.some((one) => one === name);
    let range: Range = isRange ? (name as Range) : 'heights';
    if (this.#take('in')) {
      const found = RANGES.find((one) => one === this.#peek());
      range = found ?? this.#fail(`expected one of ${RANGES.join(', ')}`);
      this.#at++;
    }
    this.#need(':');
    const variable = isRange ? 'self' : name;
    this.#quantifiers++;
    this.#variables.push([variable, range === 'heights' ? 'count' : 'node']);
    const start = this.#at;
    const body =
      kind === 'count' ? this.#joined('or', () => this.#joined('and', () => this.#counted())) : this.#or();
    this.#needTruth(body, start);
    this.#variables.pop();
    this.#quantifiers--;
    const quantified: Expr = { kind, name: variable, range, body };
    return kind === 'count' ? this.#compared(quantified) : quantified;
  }

  /**
   * The body of a count. A comparison behind something that is true or false by itself belongs to the count: `count n
   * in nodes: n.up == 3`.
   */
  #counted(): Expr {
    if ([...QUANTIFIERS, 'not'].some((word) => word === this.#peek())) return this.#not();
    const path = this.#sum();
    return senseOf(path) === 'truth' ? path : this.#compared(path);
  }

  #comparison(): Expr {
    return this.#compared(this.#sum());
  }

  #compared(left: Expr): Expr {
    if (this.#peek() === 'equal' && this.#quantifiers === 0)
      this.#fail('expected equal inside of all, exists or count');
    if (this.#take('equal')) return { kind: 'equal', of: left };
    const isEvidence = left.kind === 'call' && left.fn === 'evidence';
    if (isEvidence && this.#take('committed'))
      return { kind: 'compare', op: '>', left, right: { kind: 'number', value: 0, isTime: false } };
    const within = this.#at;
    if (this.#take('in')) {
      this.#need('(');
      const low = this.#sum();
      this.#need(',');
      const high = this.#sum();
      this.#need(')');
      for (const bound of [low, high]) this.#needLike(left, bound, within);
      if ([left, low, high].every(isFixed)) this.#needNews(within);
      this.#needOrder(left, within);
      return { kind: 'within', of: left, low, high };
    }
    const op = COMPARISONS.find((one) => one === this.#peek());
    if (op === undefined) return left;
    const at = this.#at++;
    const right = this.#sum();
    this.#needLike(left, right, at);
    if (isFixed(left) && isFixed(right)) this.#needNews(at);
    if (isOfOrder(op)) this.#needOrder(left, at);
    return { kind: 'compare', op, left, right };
  }

  /** @param at Index of the token that compares. */
  #needNews(at: number): never {
    this.#at = at;
    this.#fail('expected something of the run to compare: numbers alone are the same in all');
  }

  /** @param at Index of the token that asks for an order. */
  #needOrder(expr: Expr, at: number): void {
    if (isOrdered(expr)) return;
    this.#at = at;
    this.#fail(`expected == or !=: a ${senseOf(expr)} is neither more nor less than another`);
  }

  /** @param at Index of the token between the two. */
  #needLike(left: Expr, right: Expr, at: number): void {
    if (clashes(left, right)) this.#failUnlike(left, right, at);
  }

  #failUnlike(left: Expr, right: Expr, at: number): never {
    this.#at = at;
    this.#fail(
      `expected two of a kind, found ${senseOf(left) ?? 'a number'} and ${senseOf(right) ?? 'a number'}`,
    );
  }

  #sum(): Expr {
    let left = this.#path();
    for (;;) {
      const minus = this.#peek() === '-';
      if (!minus && this.#peek() !== '+') return left;
      const at = this.#at++;
      const right = this.#path();
      if (!canAdd(left, right, minus)) this.#failUnlike(left, right, at);
      if (!isOrdered(left)) this.#fail('expected numbers or times to add');
      left = { kind: 'sum', minus, left, right };
    }
  }

  #path(): Expr {
    let expr = this.#primary();
    while (this.#take('.')) {
      const field = FIELDS.find((one) => one === this.#peek());
      if (field === undefined) this.#fail(`expected a field: ${FIELDS.join(', ')}`);
      if (!this.#hasPeers && (field === 'peers' || field === 'banned'))
        this.#fail(
          `expected peers in the scenario: without, every node knows all others, and .${field} is not counted`,
        );
      const owner = wrongOwner(expr, field);
      if (owner !== undefined) this.#fail(`expected ${owner} before .${field}`);
      this.#at++;
      expr = { kind: 'field', of: expr, field };
    }
    return expr;
  }

  #primary(): Expr {
    const word = this.#peek() ?? this.#fail('expected a value, found the end');
    if (this.#take('(')) {
      const inner = this.#or();
      this.#need(')');
      return inner;
    }
    if (/^\d/.test(word)) return this.#number(word);
    const money = this.#known.includes(word) ? undefined : this.#money(word);
    if (money !== undefined) return { kind: 'money', what: money };
    const clock = this.#known.includes(word) ? undefined : this.#clock(word);
    if (clock !== undefined) return clock;
    const fn = (Object.keys(FUNCTIONS) as FunctionName[]).find((one) => one === word);
    if (fn !== undefined && this.#tokens[this.#at + 1]?.text === '(') {
      this.#at += 2;
      const start = this.#at;
      const arg = this.#or();
      const wanted = wrongArgument(fn, arg);
      if (wanted !== undefined) {
        this.#at = start;
        this.#fail(`expected ${wanted} in ${fn}(…)`);
      }
      this.#need(')');
      return { kind: 'call', fn, arg };
    }
    const variable = this.#variables.findLast(([name]) => name === word)?.[1];
    const of = variable ?? (this.#known.includes(word) ? 'node' : undefined);
    if (of === undefined)
      this.#fail(
        `unknown name "${word}", expected a node, a variable, a function (${Object.keys(FUNCTIONS).join(', ')}) or a quantity: ${QUANTITIES}`,
      );
    this.#at++;
    return { kind: 'name', name: word, of };
  }

  /** `sum(balances)`, `supply`, `burned`, `genesis.supply`. */
  #money(word: string): Money | undefined {
    const next = this.#tokens.slice(this.#at + 1, this.#at + 4).map(({ text }) => text);
    const take = (count: number, what: Money): Money => {
      this.#at += count;
      return what;
    };
    if (word === 'sum' && next.join('') === '(balances)') return take(4, 'balances');
    if (word === 'sum') this.#fail('expected sum(balances)');
    if (word === 'genesis' && next[0] === '.' && next[1] === 'supply') return take(3, 'genesis');
    return word === 'supply' || word === 'burned' ? take(1, word) : undefined;
  }

  /** `max(correct clocks)`, `min(correct clocks at vote)`. */
  #clock(word: string): Expr | undefined {
    if (word !== 'max' && word !== 'min') return undefined;
    const next = this.#tokens.slice(this.#at + 1, this.#at + 7).map(({ text }) => text);
    const isAtVote = next.join(' ') === '( correct clocks at vote )';
    if (!isAtVote && next.slice(0, 4).join(' ') !== '( correct clocks )')
      this.#fail(`expected ${word}(correct clocks), or ${word}(correct clocks at vote)`);
    this.#at += isAtVote ? 7 : 5;
    return { kind: 'clock', which: word, isAtVote };
  }

  #number(word: string): Expr {
    const isTime = !/^\d+$/.test(word);
    if (!isTime && word.length > DIGITS_MAX) this.#fail(`expected a number of at most ${DIGITS_MAX} digits`);
    const value = isTime ? parseDuration(word) : countOf(word);
    if (value === undefined) this.#fail(`expected a whole number or a duration such as 6s, found "${word}"`);
    this.#at++;
    return { kind: 'number', value, isTime };
  }
}

/** Coins come in numbers that only a bigint holds exactly. */
function countOf(digits: string): number | bigint {
  const value = Number(digits);
  return Number.isSafeInteger(value) ? value : BigInt(digits);
}
