import { cpus } from 'node:os';
import type { Command } from 'commander';
import { parseScenario } from '../../../sim/scenario/parse.ts';
import { withCrypto } from '../../../sim/scenario/withCrypto.ts';
import { drawSwarm } from '../../../sim/swarm/draw.ts';
import { type FailureGroup, FailureGroups } from '../../../sim/sweep/groups.ts';
import { OperatingError } from '../../operatingError.ts';
import type { World } from '../world.ts';
import { CRYPTO_OPTION, type CryptoScheme, cryptoArgs, cryptoOf } from './cryptoFlag.ts';
import { KeepFolder } from './keep.ts';
import { runPool } from './pool.ts';
import { clock, Progress } from './progress.ts';
import {
  EXIT_BROKEN,
  millisecondsOf,
  quoted,
  readScenarioFile,
  refuseFile,
  wholeOf,
} from './scenarioFile.ts';
import type { SweepOutcome, SweepTask } from './task.ts';

const JOBS_MAX = 256;
const SEEDS_MAX = 100_000_000;

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

/** What a campaign comes back with, as `--json` prints it. */
interface Summary {
  readonly runs: number;
  readonly passed: number;
  readonly failed: number;
  /** Runs that an earlier campaign in the same folder has done; counted in `runs`. */
  readonly resumed: number;
  /** Runs that the budget left undone. */
  readonly left: number;
  readonly virtualSeconds: number;
  readonly wallSeconds: number;
  readonly jobs: number;
  readonly groups: readonly FailureGroup[];
}

export function sweepCommand(sim: Command, world: World): void {
  const command = sim
    .command('sweep')
    .argument('[files...]', 'scenarios')
    .option('--swarm', 'draw a whole world for each seed')
    .option('--seeds <a..b>', 'the seeds to run, both ends included (default: as many as a file searches)')
    .option('--jobs <n>', 'worker threads (default: one a processor)')
    .option('--budget <duration>', 'start no run after so much real time, e.g. 10m')
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
  const jobs = flags.jobs === undefined ? cpus().length : wholeOf('--jobs', flags.jobs, 1, JOBS_MAX);
  const budgetMs =
    flags.budget === undefined ? Number.POSITIVE_INFINITY : millisecondsOf('--budget', flags.budget);
  const runMsMax = millisecondsOf('--run-timeout', flags.runTimeout);
  const crypto = cryptoOf(flags.crypto);
  const worlds = worldsOf(files, flags.swarm === true, crypto, world);
  if (worlds === undefined) return;
  const keep = flags.keep === undefined ? undefined : new KeepFolder(flags.keep);
  const tasks = new Tasks(
    worlds,
    flags.seeds ?? seedsOf(worlds),
    flags.shard,
    flags.checkDeterminism === true,
  );
  const campaign = new Campaign(world, tasks, keep);
  const progress = new Progress(world, tasks.total);
  await runPool({
    jobs: Math.min(jobs, Math.max(1, tasks.total)),
    runMsMax,
    next: () => (progress.wallSeconds * 1000 >= budgetMs ? undefined : campaign.next(progress)),
    done: (outcome) => campaign.done(outcome, progress),
  });
  progress.end();
  const summary = campaign.summary(progress.wallSeconds, jobs);
  world.out(
    flags.json === true
      ? `${JSON.stringify(summary, undefined, 2)}\n`
      : summaryText(
          summary,
          `${cryptoArgs(crypto)}${flags.checkDeterminism === true ? ' --check-determinism' : ''}`,
        ),
  );
  if (summary.failed > 0) world.exitCode = EXIT_BROKEN;
}

interface SweptWorld {
  readonly scenario: string;
  textOf(seed: string): string;
  /** Seeds that the file's own search goes through. */
  readonly runs?: number | undefined;
}

/** Without --seeds: as many as the files say themselves. */
function seedsOf(worlds: readonly SweptWorld[]): string {
  const runs = Math.max(0, ...worlds.map((one) => one.runs ?? 0));
  if (runs > 0) return `1..${runs}`;
  throw new OperatingError(
    '--seeds: expected a range such as 1..1000, or a scenario with a search: {swarm: {runs: …}}',
  );
}

/** Every file is read and checked before the first run. */
function worldsOf(
  files: readonly string[],
  isSwarm: boolean,
  crypto: CryptoScheme | undefined,
  world: World,
): readonly SweptWorld[] | undefined {
  if (files.length === 0 && !isSwarm) throw new OperatingError('sim sweep needs scenario files, or --swarm');
  const settled = (text: string): string => (crypto === undefined ? text : withCrypto(text, crypto));
  const worlds: SweptWorld[] = isSwarm
    ? [{ scenario: 'swarm', textOf: (seed) => settled(drawSwarm(seed)) }]
    : [];
  for (const file of files) {
    const text = readScenarioFile(file);
    const parsed = parseScenario(text);
    if (!parsed.ok) {
      refuseFile(world, file, parsed.error);
      return undefined;
    }
    const settledText = settled(text);
    worlds.push({ scenario: file, textOf: () => settledText, runs: parsed.value.swarm?.runs });
  }
  return worlds;
}

/** The runs of a campaign in order: all scenarios with the first seed, all with the second, … */
class Tasks {
  readonly total: number;
  readonly #worlds: readonly SweptWorld[];
  readonly #first: number;
  readonly #step: number;
  readonly #isTwice: boolean;
  #at: number;
  readonly #end: number;

  constructor(worlds: readonly SweptWorld[], seeds: string, shard: string | undefined, isTwice: boolean) {
    const match = /^(\d{1,12})\.\.(\d{1,12})$/.exec(seeds);
    const [from, to] = [Number(match?.[1]), Number(match?.[2])];
    if (match === null || to < from || to - from >= SEEDS_MAX)
      throw new OperatingError(`--seeds: expected a range such as 1..1000, found ${seeds}`);
    const part = shard === undefined ? ['', '1', '1'] : /^(\d{1,6})\/(\d{1,6})$/.exec(shard);
    const [index, count] = [Number(part?.[1]), Number(part?.[2])];
    if (!(index >= 1 && index <= count))
      throw new OperatingError(`--shard: expected one of n parts such as 1/4, found ${shard}`);
    this.#worlds = worlds;
    this.#isTwice = isTwice;
    this.#first = from;
    this.#step = count;
    this.#at = index - 1;
    this.#end = (to - from + 1) * worlds.length;
    this.total = Math.max(0, Math.ceil((this.#end - this.#at) / count));
  }

  next(): SweepTask | undefined {
    if (this.#at >= this.#end) return undefined;
    const index = this.#at;
    this.#at += this.#step;
    const { scenario, textOf } = this.#worlds[index % this.#worlds.length] as SweptWorld;
    const seed = String(this.#first + Math.floor(index / this.#worlds.length));
    return { index, scenario, text: textOf(seed), seed, isTwice: this.#isTwice };
  }
}

/** Hands out runs, keeps count of what came back. */
class Campaign {
  readonly #world: World;
  readonly #tasks: Tasks;
  readonly #keep: KeepFolder | undefined;
  readonly #groups = new FailureGroups();
  readonly #running = new Map<string, SweepTask>();
  readonly #seen = new Set<string>();
  #runs = 0;
  #failed = 0;
  #resumed = 0;
  #virtualMicros = 0;

  constructor(world: World, tasks: Tasks, keep: KeepFolder | undefined) {
    this.#world = world;
    this.#tasks = tasks;
    this.#keep = keep;
  }

  next(progress: Progress): SweepTask | undefined {
    for (let task = this.#tasks.next(); task !== undefined; task = this.#tasks.next()) {
      const known = this.#keep?.find(task);
      if (known === undefined) {
        this.#running.set(`${task.scenario}#${task.seed}`, task);
        return task;
      }
      this.#resumed++;
      this.#count(known, progress);
    }
    return undefined;
  }

  done(outcome: SweepOutcome, progress: Progress): void {
    const id = `${outcome.scenario}#${outcome.seed}`;
    const task = this.#running.get(id);
    this.#running.delete(id);
    if (task !== undefined) this.#keep?.add(task, outcome);
    this.#count(outcome, progress);
  }

  #count(outcome: SweepOutcome, progress: Progress): void {
    const { failures, virtualMicros } = outcome;
    this.#runs++;
    this.#virtualMicros += virtualMicros;
    if (failures.length > 0) {
      this.#failed++;
      this.#groups.add(outcome, failures, outcome.names);
      this.#sayFirst(outcome);
    }
    progress.count(failures.length > 0, virtualMicros);
  }

  /** The first failure of each kind is said at once: nobody waits for the end of a night to look into it. */
  #sayFirst({ scenario, seed, failures }: SweepOutcome): void {
    const groups = this.#groups.list();
    for (const { checker, cause, count } of groups) {
      const key = `${checker}\n${cause}`;
      if (this.#seen.has(key) || count !== 1) continue;
      this.#seen.add(key);
      const message = failures[0]?.message.split('\n', 1)[0] ?? '';
      this.#world.err(
        `${this.#world.errIsTty === true ? '\r\x1b[K' : ''}new: ${checker}: ${message} (${scenario}, seed ${seed})\n`,
      );
    }
  }

  summary(wallSeconds: number, jobs: number): Summary {
    return {
      runs: this.#runs,
      passed: this.#runs - this.#failed,
      failed: this.#failed,
      resumed: this.#resumed,
      left: this.#tasks.total - this.#runs,
      virtualSeconds: Math.round(this.#virtualMicros / 1_000_000),
      wallSeconds: Math.round(wallSeconds * 10) / 10,
      jobs,
      groups: this.#groups.list(),
    };
  }
}

function summaryText(summary: Summary, more: string): string {
  const { runs, failed, resumed, left, virtualSeconds, wallSeconds, groups } = summary;
  const lines = groups.flatMap(({ checker, cause, count, message, examples }) => [
    `${count} × ${checker}: ${cause}`,
    `    e.g. ${message}`,
    ...examples
      .slice(0, 3)
      .map(({ scenario, seed }) =>
        scenario === 'swarm'
          ? `    npx orrery sim run --swarm --seed ${seed}${more}`
          : `    npx orrery sim run ${quoted(scenario)} --seed ${seed}${more}`,
      ),
  ]);
  const rate = (runs - resumed) / Math.max(wallSeconds, 0.1);
  lines.push(
    `${runs} runs, ${failed} failed${resumed > 0 ? `, ${resumed} of them done earlier` : ''}${left > 0 ? `, ${left} left undone by the budget` : ''}`,
    `${virtualSeconds} virtual seconds in ${clock(wallSeconds)} on ${summary.jobs} threads (${rate.toFixed(1)} runs/s)`,
  );
  return `${lines.join('\n')}\n`;
}
