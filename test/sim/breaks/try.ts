// node_modules/.bin/tsx test/sim/breaks/try.ts [IDS|all] [SEEDS]: how many seeds each break takes to be found, and how small
// the failing scenario shrinks.
import { spawnSync } from 'node:child_process';
import { scenarioText } from '../../support/scenarios.ts';
import { BREAKS } from './breaks.ts';
import { type Break, brokenSim } from './broken.ts';

const [ids = 'all', seeds = '5'] = process.argv.slice(2);
const SHRINK_MS_MAX = 60_000;

async function tryOne(one: Break): Promise<string> {
  const sim = await brokenSim(one);
  const text = scenarioText(one.scenario);
  for (let seed = 1; seed <= Number(seeds); seed++) {
    const result = await sim.runScenario(text, { seed: String(seed), crypto: 'keyed-hash' });
    if (!result.ok || result.value.passed) continue;
    const endsAt = performance.now() + SHRINK_MS_MAX;
    const shrunk = await sim.shrinkScenario(text, {
      seed: String(seed),
      run: { crypto: 'keyed-hash' },
      isEnough: () => performance.now() > endsAt,
    });
    if (!shrunk.ok) return `seed ${seed}, not shrunk`;
    const { broken, before, after, runs } = shrunk.value;
    return `seed ${seed}: ${broken.checker}; ${before.faultLines} -> ${after.faultLines} lines, ${before.validators} -> ${after.validators} validators, height ${before.height} -> ${after.height}, ${runs} runs`;
  }
  return 'not found';
}

const chosen = BREAKS.filter(({ id }) => ids === 'all' || ids.split(',').includes(id));
for (const one of chosen)
  if (chosen.length === 1) process.stdout.write(`${one.id} (${one.scenario}): ${await tryOne(one)}\n`);
  // A process keeps each core that it has loaded, and more than some dozens make it slow.
  else {
    const args = [...process.execArgv, import.meta.filename, one.id, seeds];
    spawnSync(process.execPath, args, { stdio: 'inherit' });
  }
