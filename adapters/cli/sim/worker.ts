/** Worker thread of a sweep: runs scenarios one after another and reports each. */
import { parentPort } from 'node:worker_threads';
import type { Failure, ScenarioReport } from '../../../sim/report.ts';
import { runScenario } from '../../../sim/run.ts';
import { acceleratedSuite } from '../../crypto/accelerated.ts';
import { OperatingError } from '../../operatingError.ts';
import type { SweepOutcome, SweepTask } from './task.ts';

const suite = await acceleratedSuite();

async function reportOf({ scenario, text, seed, pct }: SweepTask): Promise<ScenarioReport> {
  const result = await runScenario(text, { seed, suite, pct });
  if (!result.ok) throw new OperatingError(`${scenario}: ${result.error.message}`);
  return result.value;
}

/** The failure of a second run whose digest differs from the first. */
async function partedFrom(first: ScenarioReport, task: SweepTask): Promise<readonly Failure[]> {
  const { digest } = await reportOf(task);
  if (digest === first.digest) return [];
  const message = `a second run has the digest ${digest}, the first had ${first.digest}`;
  return [{ checker: 'determinism', message, at: first.stats.virtualMicros }];
}

async function outcomeOf(task: SweepTask): Promise<SweepOutcome> {
  const startedAt = performance.now();
  const first = await reportOf(task);
  const parted = task.isTwice === true ? await partedFrom(first, task) : [];
  const wallMs = Math.round(performance.now() - startedAt);
  const { digest, nodes, stats, forks } = first;
  const failures = [...first.failures, ...parted];
  const names = nodes.map((node) => node.name);
  return {
    digest,
    failures,
    names,
    neverHappened: first.neverHappened,
    notJudged: first.notJudged.filter(({ isNamed }) => isNamed),
    hasForked: forks.length > 0,
    hasHalted: nodes.some(({ isCorrect, state }) => isCorrect && state === 'halted'),
    virtualMicros: stats.virtualMicros,
    events: stats.events,
    wallMs,
  };
}

parentPort?.on('message', async (task: SweepTask) => {
  parentPort?.postMessage(await outcomeOf(task));
});
