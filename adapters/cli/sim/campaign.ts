import { cpus } from 'node:os';
import { withLines } from '../../../sim/scenario/withLines.ts';
import { type FailureGroup, FailureGroups } from '../../../sim/sweep/groups.ts';
import { NeverHappened, type Untold } from '../../../sim/sweep/neverHappened.ts';
import { type UnjudgedRuns, UnjudgedTally, unjudgedLines } from '../../../sim/sweep/unjudged.ts';
import type { World } from '../world.ts';
import type { KeepFolder } from './keep.ts';
import { CRASHED, runPool } from './pool.ts';
import { clock, Progress } from './progress.ts';
import { EXIT_BROKEN, EXIT_INTERNAL, EXIT_INTERRUPTED, millisecondsOf, wholeOf } from './scenarioFile.ts';
import type { SweepOutcome, SweepTask } from './task.ts';

const JOBS_MAX = 256;
/** Runs listed per failure group in the text output; the JSON lists more. */
const NAMED_MAX = 3;

export interface CampaignOptions {
  readonly jobs: number;
  /** See PoolOptions. */
  readonly runMsMax: number;
  /** No run starts after this many wall-clock ms. */
  readonly budgetMs?: number;
  readonly keep: KeepFolder | undefined;
  /** Total number of runs. */
  readonly total: number;
  /** The file of which the runs are generated cases. The summary then omits what never happened. */
  readonly casesOf?: string;
  next(): SweepTask | undefined;
  /** The file of a scenario, for line numbers; undefined for a world that was drawn. */
  fileOf?(scenario: string): string | undefined;
}

/** The result of a campaign, as printed by `--json`. */
export interface Summary {
  readonly runs: number;
  readonly passed: number;
  readonly failed: number;
  /** Runs finished by an earlier campaign in the same folder; included in `runs`. */
  readonly resumed: number;
  /** Runs not done because of the budget or Ctrl-C. */
  readonly left: number;
  readonly isInterrupted: boolean;
  readonly virtualSeconds: number;
  readonly wallSeconds: number;
  readonly jobs: number;
  readonly groups: readonly FailureGroup[];
  /** By scenario: what happened in none of its runs. */
  readonly neverHappened: readonly Untold[];
  /** By scenario: what it expects and some of its runs have not judged. */
  readonly notJudged: readonly UnjudgedRuns[];
}

export const BUDGET_OPTION = [
  '--budget <duration>',
  'start no run after this much real time, e.g. 10m',
] as const;

/** Parses BUDGET_OPTION. */
export const budgetOf = (text: string | undefined): Pick<CampaignOptions, 'budgetMs'> =>
  text === undefined ? {} : { budgetMs: millisecondsOf('--budget', text) };

export const jobsOf = (text: string | undefined): number =>
  text === undefined ? cpus().length : wholeOf('--jobs', text, 1, JOBS_MAX);

/** Runs everything. Ctrl-C ends the campaign with the results so far. */
export async function runCampaign(world: World, options: CampaignOptions): Promise<Summary> {
  const { runMsMax, total, budgetMs = Number.POSITIVE_INFINITY } = options;
  const jobs = Math.min(options.jobs, Math.max(1, total));
  const progress = new Progress(world, total);
  const campaign = new Campaign(world, options, progress);
  const interrupt = new AbortController();
  const onSignal = (): void => interrupt.abort();
  // A second Ctrl-C ends the process at once.
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

/** Hands out runs and counts results. */
class Campaign {
  readonly #world: World;
  readonly #options: CampaignOptions;
  readonly #progress: Progress;
  readonly #groups = new FailureGroups();
  readonly #neverHappened = new NeverHappened();
  readonly #unjudged = new UnjudgedTally();
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
    const { keep, runMsMax } = this.#options;
    for (let task = this.#options.next(); task !== undefined; task = this.#options.next()) {
      const known = keep?.find(task, runMsMax);
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

  #count(outcome: SweepOutcome, task: SweepTask): void {
    const { failures, virtualMicros, names, neverHappened } = outcome;
    const { scenario, text, seed, again } = task;
    const { casesOf } = this.#options;
    this.#runs++;
    this.#unjudged.add(casesOf ?? scenario, outcome);
    if (neverHappened !== undefined && casesOf === undefined)
      this.#neverHappened.add(scenario, text, neverHappened);
    this.#virtualMicros += virtualMicros;
    if (failures.length > 0) {
      this.#failed++;
      this.#groups.add({ scenario, seed, again }, failures, names);
      this.#sayFirst(task, failures[0]?.message ?? '');
    }
    this.#progress.count(failures.length > 0, virtualMicros);
  }

  /** Prints the first failure of each kind at once, so that it can be examined while a long campaign continues. */
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
      neverHappened: this.#neverHappened.list().map(({ scenario, entries }) => {
        const text = this.#options.fileOf?.(scenario);
        return { scenario, entries: text === undefined ? entries : withLines(text, entries) };
      }),
      notJudged: this.#unjudged.list(),
    };
  }
}

/** Prints the summary and sets the exit code. In JSON, the members of `more` come first. */
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
  const { runs, failed, resumed, left, virtualSeconds, wallSeconds, groups } = summary;
  const lines = groups.flatMap(({ checker, cause, count, message, examples }) => [
    `${count} × ${checker}: ${cause}`,
    `    e.g. ${message}`,
    ...examples.slice(0, NAMED_MAX).map(({ again }) => `    ${again}`),
  ]);
  for (const { scenario, entries } of summary.neverHappened)
    for (const entry of entries) lines.push(`never happened in any run of ${scenario}: ${entry}`);
  lines.push(...summary.notJudged.flatMap(unjudgedLines));
  const rate = (runs - resumed) / Math.max(wallSeconds, 0.1);
  const why = summary.isInterrupted ? '' : ' by the budget';
  const earlier = resumed > 0 ? `, ${resumed} of them done earlier` : '';
  const undone = left > 0 ? `, ${left} left undone${why}` : '';
  lines.push(
    `${runs} run${runs === 1 ? '' : 's'}${earlier}, ${failed} failed${undone}`,
    `${virtualSeconds} virtual seconds in ${clock(wallSeconds)} on ${summary.jobs} thread${summary.jobs === 1 ? '' : 's'} (${rate.toFixed(1)} runs/s)`,
  );
  return `${lines.join('\n')}\n`;
}
