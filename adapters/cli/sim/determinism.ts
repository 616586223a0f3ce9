import { ok, type Result } from '../../../core/lib/result.ts';
import { compareRuns } from '../../../sim/replay/compare.ts';
import type { ScenarioReport } from '../../../sim/report.ts';
import type { RunOptions } from '../../../sim/run.ts';
import type { ScenarioError } from '../../../sim/scenario/cursor.ts';
import type { World } from '../world.ts';
import { EXIT_BROKEN } from './scenarioFile.ts';

/**
 * Runs a seed twice, compares event by event, and reports where the runs differ, which counts as a failure. Returns the
 * first run's report.
 */
export async function runTwice(
  text: string,
  options: RunOptions,
  world: World,
  say: (text: string) => void,
): Promise<Result<ScenarioReport, ScenarioError>> {
  const result = await compareRuns(text, options);
  if (!result.ok) return result;
  const { report, lines, parted } = result.value;
  if (parted === undefined) {
    say(`deterministic: ${lines} happenings equal in both runs\n`);
  } else {
    const before = parted.before.map((line) => `  both:   ${line}\n`).join('');
    say(
      `the two runs part:\n${before}  first:  ${parted.first ?? 'has ended'}\n  second: ${parted.second ?? 'has ended'}\n`,
    );
    world.exitCode = EXIT_BROKEN;
  }
  return ok(report);
}
