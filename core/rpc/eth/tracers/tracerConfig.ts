import { fieldOf, isObject, type Json } from '../../jsonText.ts';
import { serverError } from '../../rpcError.ts';
import { goKind, goTypeError, readBool } from '../goHex.ts';

/** Flags of a tracer's own config; `struct` is Go's name for it. Throws RpcError. */
export function flagsOf<N extends string>(
  config: Json,
  struct: string,
  names: readonly N[],
): Readonly<Record<N, boolean>> {
  const given = config ?? new Map();
  if (!isObject(given)) throw serverError(goTypeError(goKind(given), `native.${struct}`, undefined));
  const flags = names.map((name): [N, boolean] => {
    const flag = readBool(fieldOf(given, name), `${struct}.${name}`);
    if (!flag.ok) throw serverError(flag.error);
    return [name, flag.value];
  });
  return Object.fromEntries(flags) as Record<N, boolean>;
}

const UNITS = new Set(['ns', 'us', 'µs', 'μs', 'ms', 's', 'm', 'h']);

/** Go's time.ParseDuration: the error for this text; undefined if valid. */
export function durationFault(text: string): string | undefined {
  const shown = JSON.stringify(text);
  let rest = text.replace(/^[-+]/, '');
  if (rest === '0') return undefined;
  if (rest === '') return `time: invalid duration ${shown}`;
  while (rest !== '') {
    const number = /^(\d+\.?\d*|\.\d+)/.exec(rest)?.[0];
    if (number === undefined) return `time: invalid duration ${shown}`;
    rest = rest.slice(number.length);
    const unit = /^[^.\d]*/.exec(rest)?.[0] ?? '';
    if (unit === '') return `time: missing unit in duration ${shown}`;
    if (!UNITS.has(unit)) return `time: unknown unit ${JSON.stringify(unit)} in duration ${shown}`;
    rest = rest.slice(unit.length);
  }
  return undefined;
}
