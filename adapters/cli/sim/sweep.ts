import type { Command } from 'commander';
import { withCrypto } from '../../../sim/scenario/withCrypto.ts';
import { drawSwarm } from '../../../sim/swarm/draw.ts';
import { OperatingError } from '../../operatingError.ts';
import type { World } from '../world.ts';
import { BUDGET_OPTION, budgetOf, jobsOf, runCampaign, tell } from './campaign.ts';
import { CRYPTO_OPTION, cryptoArgs, cryptoOf } from './cryptoFlag.ts';
import { KeepFolder } from './keep.ts';
import { millisecondsOf, quoted } from './scenarioFile.ts';
import { type SweptWorld, seedRange, Tasks } from './tasks.ts';
import { readScenarios } from './worlds.ts';

interface SweepFlags {
  readonly swarm?: boolean;
  readonly seeds?: string;
  readonly jobs?: string;
  readonly budget?: string;
  readonly keep?: string;
  readonly shard?: string;
  readonly crypto?: string;
  readonly runTimeout: string;
  readonly checkDeterminism?: boolean;
  readonly json?: boolean;
}

export function sweepCommand(sim: Command, world: World): void {
  const command = sim
    .command('sweep')
    .argument('[files...]', 'scenarios, or folders of them')
    .option('--swarm', 'draw a whole world for each seed')
    .option(
      '--seeds <a..b>',
      'the seeds to run, both ends included, or a single one (default: as many as a file searches)',
    )
    .option('--jobs <n>', 'worker threads (default: one a processor)')
    .option(...BUDGET_OPTION)
    .option(
      '--keep <dir>',
      'keep results and failing scenarios there; a second call goes on where it stopped',
    )
    .option('--shard <i/n>', 'only the i-th of n equal parts, i from 1')
    .option(...CRYPTO_OPTION)
    .option('--check-determinism', 'run each twice and compare the digests')
    .option('--run-timeout <duration>', 'real time after which a single run counts as hung', '10m')
    .option('--json', 'print the summary as JSON')
    .description(
      'run scenarios over many seeds; exit code 0: all passed, 1: some failed, 2: a file is wrong',
    );
  command.action((files: readonly string[]) => sweep(files, command.opts<SweepFlags>(), world));
}

async function sweep(files: readonly string[], flags: SweepFlags, world: World): Promise<void> {
  const jobs = jobsOf(flags.jobs);
  const budget = budgetOf(flags.budget);
  const runMsMax = millisecondsOf('--run-timeout', flags.runTimeout);
  const worlds = worldsOf(files, flags, world);
  if (worlds === undefined) return;
  const keep = flags.keep === undefined ? undefined : new KeepFolder(flags.keep);
  const range = seedRange(flags.seeds ?? seedsOf(worlds));
  const tasks = new Tasks(worlds, range, flags.shard, flags.checkDeterminism === true);
  const summary = await runCampaign(world, {
    jobs,
    runMsMax,
    ...budget,
    keep,
    total: tasks.total,
    next: () => tasks.next(),
    fileOf: (scenario) => worlds.find((one) => one.scenario === scenario)?.written,
  });
  tell(world, summary, flags);
}

/** Default of --seeds: as many seeds as the files ask for. */
function seedsOf(worlds: readonly SweptWorld[]): string {
  const runs = Math.max(0, ...worlds.map((one) => one.runs ?? 0));
  if (runs > 0) return `1..${runs}`;
  throw new OperatingError(
    '--seeds: expected a range such as 1..1000, or a scenario with a search: {swarm: {runs: …}}',
  );
}

/** Reads and checks all files before the first run. */
function worldsOf(
  files: readonly string[],
  flags: SweepFlags,
  world: World,
): readonly SweptWorld[] | undefined {
  const isSwarm = flags.swarm === true;
  if (files.length === 0 && !isSwarm) throw new OperatingError('sim sweep needs scenario files, or --swarm');
  const crypto = cryptoOf(flags.crypto);
  const settled = (text: string): string => (crypto === undefined ? text : withCrypto(text, crypto));
  const more = `${cryptoArgs(crypto)}${flags.checkDeterminism === true ? ' --check-determinism' : ''}`;
  const again = (what: string, seed: string): string => `npx orrery sim run ${what} --seed ${seed}${more}`;
  const swarm: SweptWorld = {
    scenario: 'swarm',
    textOf: (seed) => settled(drawSwarm(seed)),
    again: (seed) => again('--swarm', seed),
  };
  const read = readScenarios(files, world)?.map(({ file, text, scenario }): SweptWorld => {
    const settledText = settled(text);
    return {
      scenario: file,
      textOf: () => settledText,
      written: text,
      again: (seed) => again(quoted(file), seed),
      runs: scenario.swarm?.runs,
    };
  });
  return read === undefined ? undefined : [...(isSwarm ? [swarm] : []), ...read];
}
