import type { Command } from 'commander';
import type { World } from '../world.ts';
import { BUDGET_OPTION, budgetOf, jobsOf, runCampaign, tell } from './campaign.ts';
import { KeepFolder } from './keep.ts';
import { PCT_DEPTH_MAX, pctArgs } from './pctFlag.ts';
import { quoted, wholeOf } from './scenarioFile.ts';
import type { SweepTask } from './task.ts';
import { readScenarios } from './worlds.ts';

const RUN_MS_MAX = 600_000;
const RUNS_MAX = 100_000_000;

interface PctFlags {
  readonly seed: string;
  readonly runs?: string;
  readonly depth?: string;
  readonly jobs?: string;
  readonly budget?: string;
  readonly keep?: string;
  readonly json?: boolean;
}

export function pctCommand(sim: Command, world: World): void {
  const command = sim
    .command('pct')
    .argument('<file>', 'scenario; the wider its network delay, the more orders there are')
    .option('--depth <d>', 'orderings that a bug may need (default: what the file says, or 3)')
    .option('--seed <number>', 'the first seed', '1')
    .option('--runs <n>', 'schedules to try, one a seed (default: what the file says, or 20)')
    .option('--jobs <n>', 'worker threads (default: one a processor)')
    .option(...BUDGET_OPTION)
    .option(
      '--keep <dir>',
      'keep results and failing scenarios there; a second call goes on where it stopped',
    )
    .option('--json', 'print the summary as JSON')
    .description('search schedules: links with random priorities that change at depth - 1 points');
  command.action((file: string) => pct(file, command.opts<PctFlags>(), world));
}

async function pct(file: string, flags: PctFlags, world: World): Promise<void> {
  const [read] = readScenarios([file], world) ?? [];
  if (read === undefined) return;
  const { pct: wanted } = read.scenario;
  const depth = wholeOf('--depth', flags.depth ?? String(wanted?.depth ?? 3), 1, PCT_DEPTH_MAX);
  const total = wholeOf('--runs', flags.runs ?? String(wanted?.runs ?? 20), 1, RUNS_MAX);
  const first = wholeOf('--seed', flags.seed, 0, 999_999_999_999_999);
  let done = 0;
  const next = (): SweepTask | undefined => {
    if (done === total) return undefined;
    const seed = String(first + done++);
    const again = `npx orrery sim run ${quoted(file)} --seed ${seed}${pctArgs(depth)}`;
    return { scenario: file, text: read.text, seed, again, pct: depth };
  };
  const summary = await runCampaign(world, {
    jobs: jobsOf(flags.jobs),
    runMsMax: RUN_MS_MAX,
    ...budgetOf(flags.budget),
    keep: flags.keep === undefined ? undefined : new KeepFolder(flags.keep),
    total,
    next,
    fileOf: () => read.text,
  });
  tell(world, summary, flags, { depth });
}
