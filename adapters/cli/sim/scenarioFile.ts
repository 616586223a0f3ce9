import { isUtf8 } from 'node:buffer';
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

/** A trace or a recording may end in half a character, if what wrote it was killed. Any other file must be UTF-8. */
export function readScenarioFile(file: string): string {
  const bytes = onFile('read', file, () => readFileSync(file));
  const text = onFile('read', file, () => bytes.toString('utf8'));
  if (isUtf8(bytes) || text.startsWith('{"kind":')) return text;
  const at = firstWrong(bytes, text);
  const before = bytes.subarray(0, at);
  const [line, column] = [before.filter((byte) => byte === 0x0a).length + 1, at - before.lastIndexOf(0x0a)];
  const byte = `0x${(bytes[at] as number).toString(16).padStart(2, '0')}`;
  throw new OperatingError(`${file}:${line}:${column}: expected UTF-8, found the byte ${byte}`);
}

/** Refuses what these commands write themselves, which is JSON and would otherwise be refused as YAML. */
export function refuseTrace(file: string, text: string): void {
  const kind = /^\{"kind":"(scenario|recording)"/.exec(text)?.[1];
  if (kind === undefined) return;
  const what = kind === 'scenario' ? 'a trace' : 'a recording';
  throw new OperatingError(
    `${file} is ${what}, not a scenario: npx orrery sim replay ${quoted(file)} runs it`,
  );
}

/** The decoder puts U+FFFD where it can read nothing. The file itself may contain this character as well. */
function firstWrong(bytes: Buffer, text: string): number {
  const REPLACEMENT = '\ufffd';
  for (let i = text.indexOf(REPLACEMENT); ; i = text.indexOf(REPLACEMENT, i + 1)) {
    const at = Buffer.byteLength(text.slice(0, i));
    if (bytes.toString('hex', at, at + 3) !== 'efbfbd') return at;
  }
}

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
  if (!isSeed(text)) throw new OperatingError(`--seed: expected ${SEED}, found ${text || 'nothing'}`);
  return text;
}

/** Parses a whole number of an option within bounds. */
export function wholeOf(option: string, text: string, min: number, max: number): number {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new OperatingError(`${option}: expected a whole number ${min}..${max}, found ${text || 'nothing'}`);
}

/** Milliseconds of an option whose value is a duration above zero. */
export function millisecondsOf(option: string, text: string): number {
  const micros = parseDuration(text);
  if (micros === undefined || micros === 0)
    throw new OperatingError(`${option}: expected a duration such as 10m, found ${text || 'nothing'}`);
  return micros / 1000;
}

/** Virtual µs as seconds with three decimals. */
export const secondsText = (micros: number): string => (micros / 1_000_000).toFixed(3);

/** Quotes a text for a POSIX shell. */
export const quoted = (text: string): string =>
  /^[\w./@%+=:,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
