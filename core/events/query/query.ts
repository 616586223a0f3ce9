import { present } from '../../lib/assert.ts';
import { ok, type Result } from '../../lib/result.ts';
import { compareTime } from '../../types/ids.ts';
import { compareDecimal, leadingDecimal } from './decimal.ts';
import { type Argument, type Condition, parseQuery } from './parser.ts';
import { parseDate, parseTime } from './time.ts';
import type { CompareOp } from './token.ts';

/** Maps a composite key (`type.attribute`) to its values in order of emission. */
export type EventKeys = ReadonlyMap<string, readonly string[]>;

type Matcher = (value: string) => boolean;

const HEX_ADDRESS = /^0[xX][0-9a-fA-F]{40}$/;
const ADDRESS_CHARS = 42;

const holds = (op: CompareOp, order: number): boolean => {
  if (op === '=') return order === 0;
  if (op === '<') return order < 0;
  if (op === '<=') return order <= 0;
  return op === '>' ? order > 0 : order >= 0;
};

/** An address has several spellings (EIP-55). Queries treat two texts as equal if their canonical texts are. */
export const canonicalText = (text: string): string =>
  text.length === ADDRESS_CHARS && HEX_ADDRESS.test(text) ? text.toLowerCase() : text;

function equalsText(wanted: string): Matcher {
  const canonical = canonicalText(wanted);
  return (value) => canonicalText(value) === canonical;
}

function compileOrdered(op: CompareOp, argument: Argument): Matcher {
  if (argument.kind === 'number') {
    const wanted = present(leadingDecimal(argument.text), 'scanned number');
    return (value) => {
      const number = leadingDecimal(value);
      return number !== undefined && holds(op, compareDecimal(number, wanted));
    };
  }
  const parse = argument.kind === 'time' ? parseTime : parseDate;
  const wanted = present(parse(argument.text), 'scanned time');
  return (value) => {
    const time = parse(value);
    return time !== undefined && holds(op, compareTime(time, wanted));
  };
}

function compile(condition: Condition): Matcher {
  const { op, argument } = condition;
  if (op === 'EXISTS') return () => true;
  const { kind, text } = present(argument, 'operator without argument');
  if (op === 'CONTAINS') return (value) => value.includes(text);
  return kind === 'string' ? equalsText(text) : compileOrdered(op, { kind, text });
}

const printed = ({ tag, op, argument }: Condition): string => {
  if (argument === undefined) return `${tag} ${op}`;
  const quoted = argument.kind === 'string' ? `'${argument.text}'` : argument.text;
  const labelled =
    argument.kind === 'time' || argument.kind === 'date'
      ? `${argument.kind.toUpperCase()} ${quoted}`
      : quoted;
  return `${tag} ${op} ${labelled}`;
};

/** A compiled query. All conditions must hold; each may be met by any value of its tag. */
export class Query {
  readonly conditions: readonly Condition[];
  /** Normal form. Queries with the same normal form are the same subscription. */
  readonly text: string;
  readonly #matchers: readonly Matcher[];

  constructor(conditions: readonly Condition[]) {
    this.conditions = conditions;
    this.text = conditions.map(printed).join(' AND ');
    this.#matchers = conditions.map(compile);
  }

  matches(keys: EventKeys): boolean {
    if (keys.size === 0) return false;
    return this.conditions.every((condition, i) =>
      tagMatches(keys, condition.tag, this.#matchers[i] as Matcher),
    );
  }
}

/** If the tag is a bare event type, the value is the empty string, so `slash EXISTS` works for `slash.reason`. */
function tagMatches(keys: EventKeys, tag: string, matcher: Matcher): boolean {
  // A key without a dot has no event type, so a tag cannot refer to it.
  if (tag.includes('.') && keys.get(tag)?.some(matcher) === true) return true;
  if (!matcher('')) return false;
  for (const key of keys.keys()) if (key.lastIndexOf('.') === tag.length && key.startsWith(tag)) return true;
  return false;
}

/** Parses and compiles a query. The error is the text after `failed to parse query: `. */
export function compileQuery(text: string): Result<Query, string> {
  const parsed = parseQuery(text);
  return parsed.ok ? ok(new Query(parsed.value)) : parsed;
}
