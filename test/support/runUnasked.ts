import { ok, type Result } from '../../core/lib/result.ts';
import type { ScenarioReport } from '../../sim/report.ts';
import { type RunOptions, runParsed } from '../../sim/run.ts';
import type { ScenarioError } from '../../sim/scenario/cursor.ts';
import { parseScenario } from '../../sim/scenario/parse.ts';

/** `runScenario` of nodes that are not asked at the end for all that they serve: most of a short run, and not what it is about. */
export async function runUnasked(
  text: string,
  options: RunOptions = {},
): Promise<Result<ScenarioReport, ScenarioError>> {
  const parsed = parseScenario(text);
  if (!parsed.ok) return parsed;
  const off = new Set([...parsed.value.off, 'answers' as const]);
  return ok(await runParsed({ ...parsed.value, off }, options));
}
