import { formatDuration } from '../../core/lib/duration.ts';
import { err, ok, type Result } from '../../core/lib/result.ts';
import { parseDuration } from './duration.ts';

/** A value, or an error text that ends a sentence: `expected …`. */
type Parsed<T> = Result<T, string>;

/** One setting: its default, its readers for TOML and for text (flags, environment), and its writer. */
export interface Field<T> {
  /** Written above the key in the file, and the help text of the flag. May have several lines. */
  readonly comment: string;
  readonly fallback: T;
  /** The flag of this setting needs no argument. */
  readonly isBoolean: boolean;
  fromToml(value: unknown): Parsed<T>;
  fromText(text: string): Parsed<T>;
  toToml(value: T): string;
}

/** TOML has the same escapes as JSON, but also requires one for DEL. */
const quoted = (text: string): string => JSON.stringify(text).replaceAll('\x7f', '\\u007f');

/** Any text, or only texts that `check` accepts. `check` returns the violated expectation. */
export function text(
  comment: string,
  fallback: string,
  check: (value: string) => string | undefined = () => undefined,
): Field<string> {
  const parse = (value: string): Parsed<string> => {
    const expectation = check(value);
    return expectation === undefined ? ok(value) : err(expectation);
  };
  return {
    comment,
    fallback,
    isBoolean: false,
    fromToml: (value) => (typeof value === 'string' ? parse(value) : err('expected a string')),
    fromText: parse,
    toToml: quoted,
  };
}

export function oneOf<const T extends string>(comment: string, fallback: T, choices: readonly T[]): Field<T> {
  const parse = (value: unknown): Parsed<T> => {
    const found = choices.find((choice) => choice === value);
    return found === undefined ? err(`expected one of ${choices.map(quoted).join(', ')}`) : ok(found);
  };
  return { comment, fallback, isBoolean: false, fromToml: parse, fromText: parse, toToml: quoted };
}

export function boolean(comment: string, fallback: boolean): Field<boolean> {
  const bad = err('expected true or false');
  return {
    comment,
    fallback,
    isBoolean: true,
    fromToml: (value) => (typeof value === 'boolean' ? ok(value) : bad),
    fromText: (value) =>
      value === 'true' || value === '1' ? ok(true) : value === 'false' || value === '0' ? ok(false) : bad,
    toToml: String,
  };
}

/** A whole number within bounds. */
export function count(
  comment: string,
  fallback: number,
  min = 0,
  max = Number.MAX_SAFE_INTEGER,
): Field<number> {
  const range =
    max === Number.MAX_SAFE_INTEGER
      ? `expected a whole number of at least ${min}`
      : `expected a whole number from ${min} to ${max}`;
  const check = (value: unknown): Parsed<number> =>
    typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max
      ? ok(value)
      : err(range);
  return {
    comment,
    fallback,
    isBoolean: false,
    fromToml: check,
    fromText: (value) => (/^\d+$/.test(value) ? check(Number(value)) : err(range)),
    toToml: String,
  };
}

/** A duration in Go notation (`1s`, `1m30s`, `250ms`), held in milliseconds. */
export function duration(comment: string, fallbackMs: number, minMs = 0): Field<number> {
  const parse = (value: unknown): Parsed<number> => {
    const ms = typeof value === 'string' ? parseDuration(value) : undefined;
    if (ms === undefined) return err('expected a duration such as "500ms", "3s" or "1m30s"');
    return ms < minMs ? err(`expected a duration of at least ${formatDuration(minMs)}`) : ok(ms);
  };
  return {
    comment,
    fallback: fallbackMs,
    isBoolean: false,
    fromToml: parse,
    fromText: parse,
    toToml: (ms) => quoted(formatDuration(ms)),
  };
}

/** A TOML array of strings; comma-separated in flags and environment. */
export function list(comment: string, fallback: readonly string[]): Field<readonly string[]> {
  return {
    comment,
    fallback,
    isBoolean: false,
    fromToml: (value) =>
      Array.isArray(value) && value.every((item) => typeof item === 'string')
        ? ok(value)
        : err('expected an array of strings'),
    fromText: (value) =>
      ok(
        value
          .split(',')
          .map((item) => item.trim())
          .filter((item) => item !== ''),
      ),
    toToml: (value) => `[${value.map(quoted).join(', ')}]`,
  };
}

/**
 * An exact decimal number such as 1 or 0.5, in units of 10^-18. In TOML a number is a double: one with more digits than
 * that can be a string.
 */
export function decimal18(comment: string, fallback: bigint): Field<bigint> {
  const parse = (value: string): Parsed<bigint> => {
    const match = /^(\d{1,30})(?:\.(\d{1,18}))?$/.exec(value);
    return match === null
      ? err('expected a number such as 1 or 0.5')
      : ok(BigInt(`${match[1]}${(match[2] ?? '').padEnd(18, '0')}`));
  };
  return {
    comment,
    fallback,
    isBoolean: false,
    fromToml: (value) => parse(typeof value === 'number' || typeof value === 'string' ? String(value) : ''),
    fromText: parse,
    toToml: (value) => {
      const text = formatDecimal18(value);
      return String(Number(text)) === text ? text : quoted(text);
    },
  };
}

function formatDecimal18(value: bigint): string {
  const digits = value.toString().padStart(19, '0');
  const fraction = digits.slice(-18).replace(/0+$/, '');
  return fraction === '' ? digits.slice(0, -18) : `${digits.slice(0, -18)}.${fraction}`;
}
