/** A worker thread of a sweep: runs one scenario after another and reports each. */
import { parentPort, workerData } from 'node:worker_threads';
import { runScenario } from '../../../sim/run.ts';
import { drawSwarm } from '../../../sim/swarm/draw.ts';
import { acceleratedSuite } from '../../crypto/accelerated.ts';
import { OperatingError } from '../../operatingError.ts';
import type { SweepOutcome, SweepTask } from './task.ts';

const suite = await acceleratedSuite();
const { crypto } = workerData as { readonly crypto: 'ed25519' | 'keyed-hash' | undefined };

async function outcomeOf(task: SweepTask): Promise<SweepOutcome> {
  const { scenario, seed } = task;
  const startedAt = performance.now();
  const result = await runScenario(task.text ?? drawSwarm(seed), { seed, suite, crypto });
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
