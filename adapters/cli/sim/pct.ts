import type { Command } from 'commander';
import { Choices } from '../../../sim/choices.ts';
import { LinkPriorities } from '../../../sim/pct/priorities.ts';
import { runScenario } from '../../../sim/run.ts';
import { parseScenario } from '../../../sim/scenario/parse.ts';
import { acceleratedSuite } from '../../crypto/accelerated.ts';
import type { World } from '../world.ts';
import { reportText } from './run.ts';
import { EXIT_BROKEN, quoted, readScenarioFile, refuseFile, wholeOf } from './scenarioFile.ts';

const DEPTH_MAX = 100;
const RUNS_MAX = 100_000_000;

interface PctFlags {
  readonly seed: string;
  readonly runs?: string;
  readonly depth?: string;
}

export function pctCommand(sim: Command, world: World): void {
  const command = sim
    .command('pct')
    .argument('<file>', 'scenario; the wider its network delay, the more orders there are')
    .option('--depth <d>', 'orderings that a bug may need (default: what the file says, or 3)')
    .option('--seed <number>', 'the first seed', '1')
    .option('--runs <n>', 'schedules to try, one a seed (default: what the file says, or 20)')
    .description('search schedules: links with random priorities that change at depth - 1 points');
  command.action((file: string) => pct(file, command.opts<PctFlags>(), world));
}

async function pct(file: string, flags: PctFlags, world: World): Promise<void> {
  const text = readScenarioFile(file);
  const parsed = parseScenario(text);
  if (!parsed.ok) return refuseFile(world, file, parsed.error);
  const { pct: wanted } = parsed.value;
  const depth = wholeOf('--depth', flags.depth ?? String(wanted?.depth ?? 3), 1, DEPTH_MAX);
  const runs = wholeOf('--runs', flags.runs ?? String(wanted?.runs ?? 20), 1, RUNS_MAX);
  const first = BigInt(wholeOf('--seed', flags.seed, 0, 999_999_999_999_999));
  const suite = await acceleratedSuite();
  for (let i = 0n; i < BigInt(runs); i++) {
    const seed = String(first + i);
    const { steer } = new LinkPriorities(new Choices({ seed: `pct/${seed}` }), depth);
    const result = await runScenario(text, { seed, suite, steer });
    if (!result.ok) return refuseFile(world, file, result.error);
    if (result.value.passed) continue;
    world.out(reportText(result.value));
    world.err(`reproduce: npx orrery sim pct ${quoted(file)} --depth ${depth} --seed ${seed} --runs 1\n`);
    world.exitCode = EXIT_BROKEN;
    return;
  }
  world.out(`${runs} schedules of depth ${depth}: all passed\n`);
}
