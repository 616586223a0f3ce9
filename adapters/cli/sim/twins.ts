import { writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { Command } from 'commander';
import { at, type Doc, docText, readDoc } from '../../../sim/shrink/document.ts';
import { TWINS_NODES_MAX, TwinsSpace, twinsDocument } from '../../../sim/twins/space.ts';
import { onFile } from '../../disk/files.ts';
import { OperatingError } from '../../operatingError.ts';
import type { World } from '../world.ts';
import { BUDGET_OPTION, budgetOf, jobsOf, runCampaign, tell } from './campaign.ts';
import { KeepFolder, storyOf } from './keep.ts';
import { simRun } from './run.ts';
import { quoted, refuseOutput, seedOf, wholeOf } from './scenarioFile.ts';
import type { SweepTask } from './task.ts';
import { readScenarios } from './worlds.ts';

const RUN_MS_MAX = 600_000;
/** Maximum cases without `sample` in the file or on the command line. */
const ALL_MAX = 1_000_000;

interface TwinsFlags {
  readonly sample?: string;
  readonly seed: string;
  readonly jobs?: string;
  readonly budget?: string;
  readonly keep?: string;
  readonly json?: boolean;
  readonly case?: string;
  readonly output?: string;
}

export function twinsCommand(sim: Command, world: World): void {
  const command = sim
    .command('twins')
    .argument('<file>', 'scenario with twins among the validators and a search: {twins: …}')
    .option('--sample <n>', 'run this many randomly drawn cases (default: what the file says)')
    .option('--seed <seed>', 'seed of the draw and of every run', '1')
    .option('--jobs <n>', 'worker threads (default: one a processor)')
    .option(...BUDGET_OPTION)
    .option('--keep <dir>', 'keep results and failing cases there; a second call goes on where it stopped')
    .option('--json', 'print the summary as JSON')
    .option('--case <n>', 'write the case of this number as a scenario file, and run it')
    .option('-o, --output <file>', 'with --case: where to (default: FILE-N.yaml in this folder)')
    .description('go through partitions × leaders of validators that run twice with one key');
  command.action((file: string) => twins(file, command.opts<TwinsFlags>(), world));
}

async function twins(file: string, flags: TwinsFlags, world: World): Promise<void> {
  const [read] = readScenarios([file], world) ?? [];
  if (read === undefined) return;
  const { text, scenario } = read;
  if (scenario.twins === undefined)
    throw new OperatingError(`${file}: expected a search: {twins: {rounds: …}} to go through`);
  if (scenario.validators.length > TWINS_NODES_MAX)
    throw new OperatingError(`${file}: expected at most ${TWINS_NODES_MAX} validators and twins`);
  const space = new TwinsSpace(scenario);
  const seed = seedOf(flags.seed);
  const doc = readDoc(text);
  for (const key of ['when', 'after', 'on', 'chance'])
    if (at(doc, ['defaults', 'timeline', key]) !== undefined)
      throw new OperatingError(
        `${file}: defaults.timeline: expected no ${key}: the partitions of each case would have it too`,
      );
  const base = basename(file).replace(/\.ya?ml$/, '');
  const nameOf = (index: bigint): string => `${base}-${index}.yaml`;
  if (flags.case !== undefined) {
    for (const one of ['sample', 'jobs', 'budget', 'keep'] as const)
      if (flags[one] !== undefined)
        throw new OperatingError(`--${one}: expected no --case with it, which is one run`);
    const index = caseOf(flags.case, space.size);
    const output = flags.output ?? nameOf(index);
    refuseOutput('--output', output, file, 'scenario');
    return runCase(doc, space, index, seed, output, flags.json, world);
  }
  if (flags.output !== undefined) throw new OperatingError('--output: expected --case with it');
  const sample =
    flags.sample === undefined
      ? scenario.twins.sample
      : wholeOf('--sample', flags.sample, 1, Number.MAX_SAFE_INTEGER);
  const total = sample === undefined || BigInt(sample) > space.size ? space.size : BigInt(sample);
  if (total > BigInt(ALL_MAX))
    throw new OperatingError(`${total} cases are too many to go through: take a --sample`);
  const order = space.order(sample, seed);
  const next = (): SweepTask | undefined => {
    const { done, value } = order.next();
    if (done === true) return undefined;
    return {
      scenario: nameOf(value),
      text: docText(twinsDocument(doc, space.at(value))),
      seed,
      again: `npx orrery sim twins ${quoted(file)} --case ${value} --seed ${seed} -o ${quoted(nameOf(value))}`,
    };
  };
  const summary = await runCampaign(world, {
    jobs: jobsOf(flags.jobs),
    runMsMax: RUN_MS_MAX,
    ...budgetOf(flags.budget),
    keep: flags.keep === undefined ? undefined : new KeepFolder(flags.keep),
    total: Number(total),
    casesOf: file,
    next,
  });
  const { size, partitions } = space;
  const cases = size <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(size) : String(size);
  if (flags.json !== true) world.out(`${cases} cases, ${partitions} partitions a round\n`);
  tell(world, summary, flags, { cases, partitions });
}

function caseOf(text: string, size: bigint): bigint {
  const index = /^\d{1,80}$/.test(text) ? BigInt(text) : size;
  if (index < size) return index;
  throw new OperatingError(`--case: expected a whole number 0..${size - 1n}, found ${text}`);
}

async function runCase(
  doc: Doc,
  space: TwinsSpace,
  index: bigint,
  seed: string,
  output: string,
  json: boolean | undefined,
  world: World,
): Promise<void> {
  const text = storyOf(docText(twinsDocument(doc, space.at(index))), seed, []);
  onFile('write', output, () => writeFileSync(output, text));
  world.err(`case ${index} written to ${output}\n`);
  return simRun(output, json === true ? { json } : {}, world);
}
