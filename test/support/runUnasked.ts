import { ok } from '../../core/lib/result.ts';
import { parseFor, runParsed, type runScenario } from '../../sim/run.ts';

/** Runs a scenario as `runScenario` does, but asks no node at the end for all that it serves: that is most of a short run. */
export const runUnasked: typeof runScenario = async (text, options = {}) => {
  const parsed = parseFor(text, options.seed);
  if (!parsed.ok) return parsed;
  const off = new Set([...parsed.value.off, 'answers' as const]);
  return ok(await runParsed({ ...parsed.value, off }, options));
};
