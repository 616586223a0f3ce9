import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { withSeed } from '../../../sim/scenario/withSeed.ts';
import { makeDir, onFile } from '../../disk/files.ts';
import { OperatingError } from '../../operatingError.ts';
import { pctArgs } from './pctFlag.ts';
import { HUNG } from './pool.ts';
import type { SweepOutcome, SweepTask } from './task.ts';

const RESULTS = 'results.jsonl';

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Identifies a run: the same scenario text, seed and options. */
const keyOf = ({ text, seed, isTwice, pct }: SweepTask): string =>
  `${digestOf(text).slice(0, 16)}#${seed}${isTwice === true ? '#twice' : ''}${pct === undefined ? '' : `#pct${pct}`}`;

/** The folder of a campaign: one line per finished run, so that the campaign can resume, and the failing scenarios. */
export class KeepFolder {
  readonly #folder: string;
  readonly #done = new Map<string, SweepOutcome>();
  /** Ends a line that a killed campaign left incomplete, so that the next result has a line of its own. */
  #lineEnd = '';

  constructor(folder: string) {
    this.#folder = folder;
    // As from a shell variable that is not set.
    if (folder === '') throw new OperatingError('--keep: expected a folder, found nothing');
    if (existsSync(folder) && !statSync(folder).isDirectory())
      throw new OperatingError(`--keep: ${folder} is not a folder`);
    onFile('write', folder, () => makeDir(folder, 0o777));
    const file = join(folder, RESULTS);
    if (!existsSync(file)) return;
    const lines = onFile('read', file, () => readFileSync(file, 'utf8')).split('\n');
    if (lines.at(-1) !== '') this.#lineEnd = '\n';
    for (const line of lines) {
      // The last line may be incomplete if the campaign was killed while writing it.
      const record = recordOf(line);
      if (record !== undefined) this.#done.set(record.key, record.outcome);
    }
  }

  /** The outcome of this run in an earlier campaign, if it is done. One that was ended early gets a longer limit. */
  find(task: SweepTask, runMsMax: number): SweepOutcome | undefined {
    const outcome = this.#done.get(keyOf(task));
    const hasHung = outcome?.failures.some(({ checker }) => checker === HUNG) === true;
    return hasHung && outcome.wallMs < runMsMax ? undefined : outcome;
  }

  add(task: SweepTask, outcome: SweepOutcome): void {
    const file = join(this.#folder, RESULTS);
    const line = `${this.#lineEnd}${JSON.stringify({ key: keyOf(task), outcome })}\n`;
    onFile('write', file, () => appendFileSync(file, line));
    this.#lineEnd = '';
    if (outcome.failures.length === 0) return;
    const said = outcome.failures.map(
      ({ checker, message }) => `broken: ${checker}: ${message.split('\n', 1)[0]}`,
    );
    if (task.pct !== undefined) said.push(`run it with${pctArgs(task.pct)}`);
    this.#write(task, storyOf(task.text, task.seed, said));
  }

  /**
   * Scenarios in different folders may have the same name, and a search may have several depths: all but the first get
   * a digest of their run's key into their file name.
   */
  #write(task: SweepTask, story: string): void {
    const name = `${basename(task.scenario).replace(/\.ya?ml$/, '')}-${task.seed}`;
    const plain = join(this.#folder, `${name}.yaml`);
    const isTaken = existsSync(plain) && onFile('read', plain, () => readFileSync(plain, 'utf8')) !== story;
    const file = isTaken ? join(this.#folder, `${name}-${digestOf(keyOf(task)).slice(0, 8)}.yaml`) : plain;
    onFile('write', file, () => writeFileSync(file, story));
  }
}

interface KeptRecord {
  readonly key: string;
  readonly outcome: SweepOutcome;
}

/** undefined if the line is incomplete or was edited: its run is done again. */
function recordOf(line: string): KeptRecord | undefined {
  try {
    const record = JSON.parse(line) as KeptRecord;
    const { failures, names, virtualMicros } = record.outcome;
    const isWhole =
      typeof record.key === 'string' &&
      Array.isArray(names) &&
      typeof virtualMicros === 'number' &&
      failures.every((one) => typeof one.checker === 'string' && typeof one.message === 'string');
    return isWhole ? record : undefined;
  } catch {
    return undefined;
  }
}

/** The scenario with its seed, preceded by `said` as comment lines. */
export const storyOf = (text: string, seed: string, said: readonly string[]): string =>
  `${said.map((line) => `# ${line}\n`).join('')}${withSeed(text, seed)}`;
