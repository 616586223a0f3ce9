/** A worker thread of a sweep: runs one scenario after another and reports each. */
import { parentPort } from 'node:worker_threads';
import { runScenario } from '../../../sim/run.ts';
import { acceleratedSuite } from '../../crypto/accelerated.ts';
import { OperatingError } from '../../operatingError.ts';
import type { SweepOutcome, SweepTask } from './task.ts';

const suite = await acceleratedSuite();

async function outcomeOf(task: SweepTask): Promise<SweepOutcome> {
  const { scenario, text, seed } = task;
  const startedAt = performance.now();
  const result = await runScenario(text, { seed, suite });
  const wallMs = Math.round(performance.now() - startedAt);
  if (!result.ok) throw new OperatingError(`${scenario}: ${result.error.message}`);
  const { digest, failures, nodes, stats } = result.value;
  const names = nodes.map((node) => node.name);
  return {
    scenario,
    seed,
    digest,
    failures,
    names,
    virtualMicros: stats.virtualMicros,
    events: stats.events,
    wallMs,
  };
}

parentPort?.on('message', async (task: SweepTask) => {
  parentPort?.postMessage(await outcomeOf(task));
});
