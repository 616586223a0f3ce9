import { cpus } from 'node:os';
import { type FailureGroup, FailureGroups } from '../../../sim/sweep/groups.ts';
import { NeverHappened, type Untold } from '../../../sim/sweep/neverHappened.ts';
import type { World } from '../world.ts';
import type { KeepFolder } from './keep.ts';
import { CRASHED, runPool } from './pool.ts';
import { clock, Progress } from './progress.ts';
import { EXIT_BROKEN, EXIT_INTERNAL, EXIT_INTERRUPTED, millisecondsOf, wholeOf } from './scenarioFile.ts';
import type { SweepOutcome, SweepTask } from './task.ts';

const JOBS_MAX = 256;
/** Runs named of each group in the text; the JSON has more. */
const NAMED_MAX = 3;

export interface CampaignOptions {
  readonly jobs: number;
  /** See PoolOptions. */
  readonly runMsMax: number;
  /** No run starts after so many wall-clock ms. */
  readonly budgetMs?: number;
  readonly keep: KeepFolder | undefined;
  /** All runs there are. */
  readonly total: number;
  /** Each run is a case that a search has made: nobody told a story that did not happen. */
  readonly isCaseByCase?: boolean;
  next(): SweepTask | undefined;
}

/** What a campaign comes back with, as `--json` prints it. */
export interface Summary {
  readonly runs: number;
  readonly passed: number;
  readonly failed: number;
  /** Runs that an earlier campaign in the same folder has done; counted in `runs`. */
  readonly resumed: number;
  /** Runs that the budget or Ctrl-C left undone. */
  readonly left: number;
  readonly isInterrupted: boolean;
  readonly virtualSeconds: number;
  readonly wallSeconds: number;
  readonly jobs: number;
  readonly groups: readonly FailureGroup[];
  /** By scenario, what happened in none of its runs. */
  readonly neverHappened: readonly Untold[];
}

export const BUDGET_OPTION = [
  '--budget <duration>',
  'start no run after so much real time, e.g. 10m',
] as const;

/** What BUDGET_OPTION asks for. */
export const budgetOf = (text: string | undefined): Pick<CampaignOptions, 'budgetMs'> =>
  text === undefined ? {} : { budgetMs: millisecondsOf('--budget', text) };

export const jobsOf = (text: string | undefined): number =>
  text === undefined ? cpus().length : wholeOf('--jobs', text, 1, JOBS_MAX);

/** Runs all there is to run; Ctrl-C ends it with what was found so far. */
export async function runCampaign(world: World, options: CampaignOptions): Promise<Summary> {
  const { runMsMax, total, budgetMs = Number.POSITIVE_INFINITY } = options;
  const jobs = Math.min(options.jobs, Math.max(1, total));
  const progress = new Progress(world, total);
  const campaign = new Campaign(world, options, progress);
  const interrupt = new AbortController();
  const onSignal = (): void => interrupt.abort();
  // The second one ends the process at once.
  process.once('SIGINT', onSignal);
  try {
    await runPool({
      jobs,
      runMsMax,
      signal: interrupt.signal,
      next: () => (progress.wallSeconds * 1000 >= budgetMs ? undefined : campaign.next()),
      done: (outcome, task) => campaign.done(outcome, task),
    });
  } finally {
    process.off('SIGINT', onSignal);
  }
  progress.end();
  return campaign.summary(progress.wallSeconds, jobs, interrupt.signal.aborted);
}

/** Hands out runs, keeps count of what came back. */
class Campaign {
  readonly #world: World;
  readonly #options: CampaignOptions;
  readonly #progress: Progress;
  readonly #groups = new FailureGroups();
  readonly #neverHappened = new NeverHappened();
  readonly #seen = new Set<string>();
  #runs = 0;
  #failed = 0;
  #resumed = 0;
  #virtualMicros = 0;

  constructor(world: World, options: CampaignOptions, progress: Progress) {
    this.#world = world;
    this.#options = options;
    this.#progress = progress;
  }

  next(): SweepTask | undefined {
    const { keep } = this.#options;
    for (let task = this.#options.next(); task !== undefined; task = this.#options.next()) {
      const known = keep?.find(task);
      if (known === undefined) return task;
      this.#resumed++;
      this.#count(known, task);
    }
    return undefined;
  }

  done(outcome: SweepOutcome, task: SweepTask): void {
    this.#options.keep?.add(task, outcome);
    this.#count(outcome, task);
  }

  #count({ failures, virtualMicros, names, neverHappened }: SweepOutcome, task: SweepTask): void {
    const { scenario, text, seed, again } = task;
    this.#runs++;
    if (neverHappened !== undefined && this.#options.isCaseByCase !== true)
      this.#neverHappened.add(scenario, text, neverHappened);
    this.#virtualMicros += virtualMicros;
    if (failures.length > 0) {
      this.#failed++;
      this.#groups.add({ scenario, seed, again }, failures, names);
      this.#sayFirst(task, failures[0]?.message ?? '');
    }
    this.#progress.count(failures.length > 0, virtualMicros);
  }

  /** The first failure of each kind is said at once: nobody waits for the end of a night to look into it. */
  #sayFirst({ scenario, seed }: SweepTask, message: string): void {
    for (const { checker, cause, count } of this.#groups.list()) {
      const key = `${checker}\n${cause}`;
      if (this.#seen.has(key) || count !== 1) continue;
      this.#seen.add(key);
      this.#progress.end();
      this.#world.err(`new: ${checker}: ${message.split('\n', 1)[0]} (${scenario}, seed ${seed})\n`);
    }
  }

  summary(wallSeconds: number, jobs: number, isInterrupted: boolean): Summary {
    return {
      runs: this.#runs,
      passed: this.#runs - this.#failed,
      failed: this.#failed,
      resumed: this.#resumed,
      left: this.#options.total - this.#runs,
      isInterrupted,
      virtualSeconds: Math.round(this.#virtualMicros / 1_000_000),
      wallSeconds: Math.round(wallSeconds * 10) / 10,
      jobs,
      groups: this.#groups.list(),
      neverHappened: this.#neverHappened.list(),
    };
  }
}

/** Prints the summary, as JSON with `more` before the rest if asked for, and sets the exit code. */
export function tell(
  world: World,
  summary: Summary,
  { json, keep }: { readonly json?: boolean; readonly keep?: string },
  more: Readonly<Record<string, unknown>> = {},
): void {
  if (json === true) world.out(`${JSON.stringify({ ...more, ...summary }, undefined, 2)}\n`);
  else world.out(summaryText(summary));
  if (summary.isInterrupted) {
    const how = keep === undefined ? 'with --keep DIR the same command would go' : 'the same command goes';
    world.err(`interrupted: ${how} on where it stopped\n`);
  }
  world.exitCode = exitCodeOf(summary);
}

function exitCodeOf({ isInterrupted, failed, groups }: Summary): number {
  if (isInterrupted) return EXIT_INTERRUPTED;
  if (failed === 0) return 0;
  return groups.every(({ checker }) => checker === CRASHED) ? EXIT_INTERNAL : EXIT_BROKEN;
}

function summaryText(summary: Summary): string {
  const { runs, failed, resumed, left, virtualSeconds, wallSeconds, groups, neverHappened } = summary;
  const lines = groups.flatMap(({ checker, cause, count, message, examples }) => [
    `${count} × ${checker}: ${cause}`,
    `    e.g. ${message}`,
    ...examples.slice(0, NAMED_MAX).map(({ again }) => `    ${again}`),
  ]);
  for (const { scenario, entries } of neverHappened)
    lines.push(`never happened in any run of ${scenario}: ${entries.join(', ')}`);
  const rate = (runs - resumed) / Math.max(wallSeconds, 0.1);
  const why = summary.isInterrupted ? '' : ' by the budget';
  lines.push(
    `${runs} runs, ${failed} failed${resumed > 0 ? `, ${resumed} of them done earlier` : ''}${left > 0 ? `, ${left} left undone${why}` : ''}`,
    `${virtualSeconds} virtual seconds in ${clock(wallSeconds)} on ${summary.jobs} thread${summary.jobs === 1 ? '' : 's'} (${rate.toFixed(1)} runs/s)`,
  );
  return `${lines.join('\n')}\n`;
}
