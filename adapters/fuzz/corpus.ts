/** Failing cases, kept in files and tried first in later runs: DIR/TARGET.jsonl, one case per line. */
import { accessSync, appendFileSync, constants, existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { parseHex, toHex } from '../../core/lib/bytes.ts';
import { makeDir, onFile } from '../disk/files.ts';
import { OperatingError } from '../operatingError.ts';

const CASES_MAX = 10_000;

/** JSON with additional forms for bytes and big integers. */
export const caseText = (values: readonly unknown[]): string =>
  JSON.stringify(values, (_, value: unknown) => {
    if (value instanceof Uint8Array) return { $bytes: toHex(value) };
    if (typeof value === 'bigint') return { $bigint: value.toString() };
    return value;
  });

/** Throws SyntaxError if the text is not a case. */
export function parseCase(text: string): readonly unknown[] {
  const values: unknown = JSON.parse(text, (_, value: unknown) => {
    const { $bytes, $bigint } = (value ?? {}) as { $bytes?: unknown; $bigint?: unknown };
    if (typeof $bytes === 'string') {
      const bytes = parseHex($bytes);
      if (!bytes.ok) throw new SyntaxError('$bytes is not hex');
      return bytes.value;
    }
    return typeof $bigint === 'string' ? BigInt($bigint) : value;
  });
  if (!Array.isArray(values)) throw new SyntaxError('a case is a list');
  return values;
}

const fileOf = (dir: string, target: string): string => path.join(dir, `${target}.jsonl`);

/** Creates the folder and checks now that cases can be written, not after hours of fuzzing. */
export function openCorpus(dir: string): void {
  onFile('write', dir, () => {
    makeDir(dir);
    accessSync(dir, constants.R_OK | constants.W_OK | constants.X_OK);
  });
  if (!statSync(dir).isDirectory()) throw new OperatingError(`--corpus: ${dir} is not a folder`);
}

/** Empty if no case was kept. */
export function readCorpus(dir: string, target: string): readonly (readonly unknown[])[] {
  const file = fileOf(dir, target);
  if (!existsSync(file)) return [];
  const lines = onFile('read', file, () => readFileSync(file, 'utf8'))
    .split('\n')
    .filter((line) => line !== '');
  if (lines.length > CASES_MAX) throw new OperatingError(`${file} has more than ${CASES_MAX} cases`);
  return lines.map((line, i) => {
    try {
      return parseCase(line);
    } catch {
      throw new OperatingError(`${file}:${i + 1}: not a case`);
    }
  });
}

/** Keeps a case unless it is already kept. Throws OperatingError when the file has reached its maximum. */
export function keepCase(dir: string, target: string, values: readonly unknown[]): void {
  const line = caseText(values);
  const kept = readCorpus(dir, target);
  if (kept.some((one) => caseText(one) === line)) return;
  const file = fileOf(dir, target);
  if (kept.length >= CASES_MAX) throw new OperatingError(`${file} has ${CASES_MAX} cases already`);
  onFile('write', file, () => {
    makeDir(dir);
    appendFileSync(file, `${line}\n`);
  });
}
