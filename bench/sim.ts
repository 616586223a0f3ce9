/**
 * Virtual seconds per wall second: four validators, a block a second, empty blocks, one core. Once with real ed25519
 * (each signature verified once for the whole cluster), once with keyed hashes instead of signatures.
 */
import { acceleratedSuite } from '../adapters/crypto/accelerated.ts';
import { runScenario } from '../sim/run.ts';
import type { Print } from './figure.ts';

const VIRTUAL_SECONDS = { warmup: 200, measured: 600 };

const scenario = (seconds: number): string => `
name: bench
validators: {count: 4}
until: {time: ${seconds}s}
`;

/** What the goal of a figure is, in virtual seconds a second. */
const GOALS = { ed25519: 600, 'keyed-hash': 2000 } as const;

export async function run(print: Print): Promise<void> {
  const suite = await acceleratedSuite();
  for (const crypto of ['ed25519', 'keyed-hash'] as const) {
    await runScenario(scenario(VIRTUAL_SECONDS.warmup), { crypto, suite });
    const start = performance.now();
    const result = await runScenario(scenario(VIRTUAL_SECONDS.measured), { crypto, suite });
    const wallSeconds = (performance.now() - start) / 1000;
    if (!result.ok || !result.value.passed)
      throw new Error(`the bench scenario failed: ${JSON.stringify(result)}`);
    const ratio = result.value.stats.virtualMicros / 1_000_000 / wallSeconds;
    const goal = GOALS[crypto];
    const metric = `virtual-seconds-${crypto}`;
    print({
      bench: 'sim',
      metric,
      value: ratio,
      unit: 'virtual s/s',
      vs: `goal ${goal}`,
      ratio: ratio / goal,
    });
    print({
      bench: 'sim',
      metric: `events-${crypto}`,
      value: result.value.stats.events / wallSeconds,
      unit: 'events/s',
    });
  }
}
