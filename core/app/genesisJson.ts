/** Typed reading of parsed JSON; each error names the path of its value. */
import { err, ok, type Result } from '../lib/result.ts';

export interface GenesisError {
  readonly code: 'genesis';
  /** Path of the value, e.g. `app_state.bank.balances[2].coins[0].amount`. */
  readonly path: string;
  readonly message: string;
}

/** Thrown by the nested readers for the first problem; readGenesis turns it into a Result. */
class GenesisProblem extends Error {
  override readonly name = 'GenesisProblem';
  readonly problem: GenesisError;

  constructor(path: string, message: string) {
    super(`${path}: ${message}`);
    this.problem = { code: 'genesis', path, message };
  }
}

export function readGenesis<T>(read: () => T): Result<T, GenesisError> {
  try {
    return ok(read());
  } catch (error) {
    if (error instanceof GenesisProblem) return err(error.problem);
    throw error;
  }
}

const describe = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'an array' : `a ${typeof value}`;

/** A JSON value and its path. */
export class Json {
  readonly value: unknown;
  readonly path: string;

  constructor(value: unknown, path: string) {
    this.value = value;
    this.path = path;
  }

  fail(message: string): never {
    throw new GenesisProblem(this.path, message);
  }

  get isMissing(): boolean {
    return this.value === undefined || this.value === null;
  }

  /** The object's fields. Any field not in `known` is refused, so that a typo does not silently become a default. */
  object(known: readonly string[]): { readonly [key: string]: Json } {
    if (typeof this.value !== 'object' || this.value === null || Array.isArray(this.value)) {
      return this.fail(`expected an object, got ${describe(this.value)}`);
    }
    const record = this.value as Record<string, unknown>;
    for (const key of Object.keys(record)) {
      if (!known.includes(key)) this.fail(`unknown field "${key}"; known are ${known.join(', ')}`);
    }
    return Object.fromEntries(known.map((key) => [key, new Json(record[key], `${this.path}.${key}`)]));
  }

  /** A missing array counts as empty. */
  array(itemsMax: number): readonly Json[] {
    if (this.isMissing) return [];
    if (!Array.isArray(this.value)) return this.fail(`expected an array, got ${describe(this.value)}`);
    if (this.value.length > itemsMax) return this.fail(`more than ${itemsMax} entries`);
    return this.value.map((item, i) => new Json(item, `${this.path}[${i}]`));
  }

  text(fallback?: string): string {
    if (this.isMissing && fallback !== undefined) return fallback;
    if (typeof this.value !== 'string') return this.fail(`expected a string, got ${describe(this.value)}`);
    return this.value;
  }

  boolean(fallback: boolean): boolean {
    if (this.isMissing) return fallback;
    if (typeof this.value !== 'boolean')
      return this.fail(`expected true or false, got ${describe(this.value)}`);
    return this.value;
  }

  /** A string of decimal digits, the form of integers in Cosmos JSON; a safe JSON number is accepted too. */
  amount(max: bigint, fallback?: bigint): bigint {
    if (this.isMissing && fallback !== undefined) return fallback;
    const isNumber = typeof this.value === 'number' && Number.isSafeInteger(this.value);
    const text = isNumber ? String(this.value) : this.value;
    if (typeof text !== 'string' || !/^(0|[1-9][0-9]{0,79})$/.test(text)) {
      return this.fail('expected a whole number in decimal digits');
    }
    const amount = BigInt(text);
    if (amount > max) this.fail(`larger than ${max}`);
    return amount;
  }

  /** Like `amount`, but above 0. */
  positive(max: bigint, fallback: bigint): bigint {
    const amount = this.amount(max, fallback);
    return amount === 0n ? this.fail('must not be zero') : amount;
  }
}
