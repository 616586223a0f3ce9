import { cpus } from 'node:os';
import type { Command } from 'commander';
import { parseScenario } from '../../../sim/scenario/parse.ts';
import { docText, readDoc } from '../../../sim/shrink/document.ts';
import { FailureGroups } from '../../../sim/sweep/groups.ts';
import { TWINS_NODES_MAX, TwinsSpace, twinsDocument } from '../../../sim/twins/space.ts';
import { OperatingError } from '../../operatingError.ts';
import type { World } from '../world.ts';
import { KeepFolder } from './keep.ts';
import { runPool } from './pool.ts';
import { clock, Progress } from './progress.ts';
import { EXIT_BROKEN, readScenarioFile, refuseFile, seedOf, wholeOf } from './scenarioFile.ts';
import type { SweepOutcome, SweepTask } from './task.ts';

const RUN_MS_MAX = 600_000;
const JOBS_MAX = 256;
/** Without `sample` in the file or on the command line no more than these are tried. */
const ALL_MAX = 1_000_000;

interface TwinsFlags {
  readonly sample?: string;
  readonly seed: string;
  readonly jobs?: string;
  readonly keep?: string;
  readonly json?: boolean;
}

export function twinsCommand(sim: Command, world: World): void {
  const command = sim
    .command('twins')
    .argument('<file>', 'scenario with twins among the validators and a search: {twins: …}')
    .option('--sample <n>', 'so many cases by lot, instead of what the file says')
    .option('--seed <number>', 'of the lot and of every run', '1')
    .option('--jobs <n>', 'worker threads (default: one a processor)')
    .option('--keep <dir>', 'keep results and failing cases there; a second call goes on where it stopped')
    .option('--json', 'print the summary as JSON')
    .description('go through partitions × leaders of validators that run twice with one key');
  command.action((file: string) => twins(file, command.opts<TwinsFlags>(), world));
}

interface TwinsSummary {
  readonly cases: string;
  readonly partitions: number;
  readonly runs: number;
  readonly failed: number;
  readonly resumed: number;
  readonly wallSeconds: number;
  readonly runsPerSecond: number;
}

async function twins(file: string, flags: TwinsFlags, world: World): Promise<void> {
  const text = readScenarioFile(file);
  const parsed = parseScenario(text);
  if (!parsed.ok) return refuseFile(world, file, parsed.error);
  const scenario = parsed.value;
  if (scenario.twins === undefined)
    throw new OperatingError(`${file}: expected a search: {twins: {rounds: …}} to go through`);
  if (scenario.validators.length > TWINS_NODES_MAX)
    throw new OperatingError(`${file}: expected at most ${TWINS_NODES_MAX} validators and twins`);
  const space = new TwinsSpace(scenario);
  const sample =
    flags.sample === undefined
      ? scenario.twins.sample
      : wholeOf('--sample', flags.sample, 1, Number.MAX_SAFE_INTEGER);
  const total = sample === undefined || BigInt(sample) > space.size ? space.size : BigInt(sample);
  if (total > BigInt(ALL_MAX))
    throw new OperatingError(`${total} cases are too many to go through: take a --sample`);
  const seed = seedOf(flags.seed);
  const order = space.order(sample, seed);
  const doc = readDoc(text);
  const next = (): SweepTask | undefined => {
    const { done, value } = order.next();
    if (done === true) return undefined;
    const one = twinsDocument(doc, space.at(value));
    return { index: Number(value), scenario: `${String(one['name'])}.yaml`, text: docText(one), seed };
  };
  const summary = await runAll(world, next, Number(total), flags, space);
  world.out(flags.json === true ? `${JSON.stringify(summary, undefined, 2)}\n` : textOf(summary));
  if (summary.failed > 0) world.exitCode = EXIT_BROKEN;
}

async function runAll(
  world: World,
  next: () => SweepTask | undefined,
  total: number,
  flags: TwinsFlags,
  space: TwinsSpace,
): Promise<TwinsSummary> {
  const keep = flags.keep === undefined ? undefined : new KeepFolder(flags.keep);
  const progress = new Progress(world, total);
  const groups = new FailureGroups();
  const running = new Map<string, SweepTask>();
  const counts = { runs: 0, failed: 0, resumed: 0 };
  const count = (outcome: SweepOutcome): void => {
    const isFailed = outcome.failures.length > 0;
    counts.runs++;
    if (isFailed) counts.failed++;
    if (isFailed) groups.add(outcome, outcome.failures, outcome.names);
    progress.count(isFailed, outcome.virtualMicros);
  };
  await runPool({
    jobs: flags.jobs === undefined ? cpus().length : wholeOf('--jobs', flags.jobs, 1, JOBS_MAX),
    runMsMax: RUN_MS_MAX,
    next() {
      for (let task = next(); task !== undefined; task = next()) {
        const known = keep?.find(task);
        if (known === undefined) {
          running.set(task.scenario, task);
          return task;
        }
        counts.resumed++;
        count(known);
      }
      return undefined;
    },
    done(outcome) {
      const task = running.get(outcome.scenario);
      running.delete(outcome.scenario);
      if (task !== undefined) keep?.add(task, outcome);
      count(outcome);
    },
  });
  progress.end();
  for (const { checker, cause, count: times, message, examples } of groups.list()) {
    world.out(`${times} × ${checker}: ${cause}\n    e.g. ${message} (${examples[0]?.scenario})\n`);
  }
  const { wallSeconds } = progress;
  return {
    cases: String(space.size),
    partitions: space.partitions,
    ...counts,
    wallSeconds: Math.round(wallSeconds * 10) / 10,
    runsPerSecond: Math.round(((counts.runs - counts.resumed) / Math.max(wallSeconds, 0.001)) * 10) / 10,
  };
}

const textOf = (summary: TwinsSummary): string =>
  `${summary.runs} of ${summary.cases} cases (${summary.partitions} partitions a round), ${summary.failed} failed${
    summary.resumed > 0 ? `, ${summary.resumed} of them done earlier` : ''
  }\n${clock(summary.wallSeconds)}, ${summary.runsPerSecond} runs/s\n`;
