import type { Result } from '../../core/lib/result.ts';
import type { ScenarioReport } from '../report.ts';
import { type RunOptions, runScenario } from '../run.ts';
import type { ScenarioError } from '../scenario/cursor.ts';

/** Lines shown before the one where two runs part. */
const BEFORE_MAX = 3;

export interface Comparison {
  /** Report of the first run. */
  readonly report: ScenarioReport;
  readonly lines: number;
  /** undefined: the two runs are equal. */
  readonly parted:
    | {
        readonly before: readonly string[];
        readonly first: string | undefined;
        readonly second: string | undefined;
      }
    | undefined;
}

/** Runs a scenario twice and compares every line of the trace. The first trace is kept, the second is only compared. */
export async function compareRuns(
  text: string,
  options: RunOptions,
): Promise<Result<Comparison, ScenarioError>> {
  const kept: string[] = [];
  const keep = (line: string): void => {
    kept.push(line);
    options.trace?.(line);
  };
  const first = await runScenario(text, { ...options, trace: keep });
  if (!first.ok) return first;
  let at = 0;
  let parted: Comparison['parted'];
  const part = (second: string | undefined): void => {
    parted ??= { before: kept.slice(Math.max(0, at - BEFORE_MAX), at), first: kept[at], second };
  };
  const second = await runScenario(text, {
    ...options,
    trace(line) {
      if (parted !== undefined) return;
      if (kept[at] !== line) part(line);
      else at++;
    },
  });
  if (!second.ok) return second;
  if (at < kept.length) part(undefined);
  if (first.value.digest !== second.value.digest) part(`digest ${second.value.digest}`);
  return { ok: true, value: { report: first.value, lines: kept.length, parted } };
}
