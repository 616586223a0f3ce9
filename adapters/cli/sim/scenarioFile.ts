import { readFileSync, statSync } from 'node:fs';
import type { ScenarioError } from '../../../sim/scenario/cursor.ts';
import { isSeed, SEED } from '../../../sim/scenario/seed.ts';
import { parseDuration } from '../../../sim/scenario/units.ts';
import { onFile } from '../../disk/files.ts';
import { OperatingError } from '../../operatingError.ts';
import type { World } from '../world.ts';

export const EXIT_BROKEN = 1;
export const EXIT_BAD_FILE = 2;
/** An internal error of this program. */
export const EXIT_INTERNAL = 3;
/** Exit code that shells use after Ctrl-C. */
export const EXIT_INTERRUPTED = 130;

export const readScenarioFile = (file: string): string =>
  onFile('read', file, () => readFileSync(file, 'utf8'));

/**
 * Refuses an output that is the same file as the input: opening it would erase `what`. Also refuses `-`, which elsewhere
 * means stdout: there the command says other things.
 */
export function refuseOutput(option: string, output: string, input: string | undefined, what: string): void {
  if (output === '-')
    throw new OperatingError(`${option}: expected a file, found - (stdout has other output)`);
  if (input === undefined) return;
  const [to, from] = [output, input].map((file) =>
    onFile('write', output, () => statSync(file, { bigint: true, throwIfNoEntry: false })),
  );
  if (to !== undefined && to.ino === from?.ino && to.dev === from.dev)
    throw new OperatingError(`${option}: ${output} is the ${what} itself`);
}

/** Reports the position of an error in a scenario file. */
export function refuseFile(world: World, file: string, { line, column, message }: ScenarioError): void {
  world.err(`${file}:${line}:${column}: ${message}\n`);
  world.exitCode = EXIT_BAD_FILE;
}

/** Checks a seed on the command line, in the format of scenario files. */
export function seedOf(text: string): string {
  if (!isSeed(text)) throw new OperatingError(`--seed: expected ${SEED}, found ${text}`);
  return text;
}

/** Parses a whole number of an option within bounds. */
export function wholeOf(option: string, text: string, min: number, max: number): number {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new OperatingError(`${option}: expected a whole number ${min}..${max}, found ${text}`);
}

/** Milliseconds of an option whose value is a duration above zero. */
export function millisecondsOf(option: string, text: string): number {
  const micros = parseDuration(text);
  if (micros === undefined || micros === 0)
    throw new OperatingError(`${option}: expected a duration such as 10m, found ${text}`);
  return micros / 1000;
}

/** Virtual µs as seconds with three decimals. */
export const secondsText = (micros: number): string => (micros / 1_000_000).toFixed(3);

/** Quotes a text for a POSIX shell. */
export const quoted = (text: string): string =>
  /^[\w./@%+=:,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
