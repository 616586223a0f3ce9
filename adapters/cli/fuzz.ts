import type { Command } from 'commander';
import { parseDuration } from '../config/duration.ts';
import { openCorpus } from '../fuzz/corpus.ts';
import { FUZZ_TARGETS, type FuzzOptions, runFuzz } from '../fuzz/runFuzz.ts';
import { OperatingError } from '../operatingError.ts';
import type { World } from './world.ts';

const RUNS_DEFAULT = 10_000;
const RUNS_MAX = 1_000_000_000_000;
/** fast-check seeds are signed 32-bit integers. */
const SEED_MAX = 2 ** 31 - 1;

interface FuzzFlags {
  readonly seed?: string;
  readonly runs?: string;
  readonly time?: string;
  readonly path?: string;
  readonly corpus?: string;
}

export function fuzzCommand(command: Command, world: World): void {
  const names = FUZZ_TARGETS.map(({ name }) => name);
  const width = Math.max(...names.map((name) => name.length));
  const docs = FUZZ_TARGETS.map(({ name, doc }) => `  ${name.padEnd(width)}  ${doc}\n`);
  command
    .argument('<target>', 'one of those below, or all')
    .option('--seed <number>', 'repeat this run')
    .option(
      '--runs <number>',
      `cases of each target (default: ${RUNS_DEFAULT}; with --time as many as there is time for)`,
    )
    .option('--time <duration>', 'stop each target after this long, like 10m')
    .option('--path <path>', 'only the case that a failure named, with its --seed')
    .option('--corpus <dir>', 'keep failing cases there, and try those kept before all others')
    .addHelpText(
      'after',
      `\nTargets:\n${docs.join('')}\nExit codes: 0 all held, 1 one fails, 2 an argument is wrong, 3 a bug of the fuzzer`,
    )
    .action(async (name: string, flags: FuzzFlags) => {
      const targets = FUZZ_TARGETS.filter((target) => name === 'all' || target.name === name);
      if (targets.length === 0)
        throw new OperatingError(`unknown target ${name}: expected ${names.join(', ')} or all`);
      if (flags.path !== undefined && name === 'all')
        throw new OperatingError('--path: expected the one target whose case it is');
      const options = optionsOf(flags);
      if (options.corpus !== undefined) openCorpus(options.corpus);
      for (const target of targets) await fuzz(target, options, world);
    });
}

function optionsOf({ seed, runs, time, path, corpus }: FuzzFlags): FuzzOptions {
  if (path !== undefined && seed === undefined)
    throw new OperatingError('--path: expected --seed with it, as the failure told both');
  if (path !== undefined && !/^\d{1,15}(:\d{1,15})*$/.test(path))
    throw new OperatingError(`--path: expected numbers as in 12:0:3, found ${path}`);
  const runsDefault = time === undefined ? RUNS_DEFAULT : RUNS_MAX;
  return {
    seed: seed === undefined ? undefined : whole('seed', seed, -SEED_MAX - 1, SEED_MAX),
    runs: runs === undefined ? runsDefault : whole('runs', runs, 1, RUNS_MAX),
    timeMs: time === undefined ? undefined : timeOf(time),
    path,
    corpus,
  };
}

function whole(flag: string, text: string, min: number, max: number): number {
  const value = /^-?\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new OperatingError(`--${flag}: expected a whole number ${min}..${max}, found ${text}`);
}

function timeOf(text: string): number {
  const ms = parseDuration(text) ?? 0;
  if (ms > 0) return ms;
  throw new OperatingError(`--time: expected a duration like 10m, found ${text}`);
}

async function fuzz(
  target: (typeof FUZZ_TARGETS)[number],
  options: FuzzOptions,
  world: World,
): Promise<void> {
  const outcome = await runFuzz(target, options);
  if (outcome.kind === 'passed') {
    world.out(`${target.name}: ${outcome.runs} cases hold (seed ${outcome.seed})\n`);
    return;
  }
  world.exitCode = 1;
  world.out(
    `${target.name}: fails after ${outcome.runs} cases: ${outcome.error}\n  input ${outcome.input}\n`,
  );
  if (outcome.notKept !== undefined) world.err(`the case is not kept: ${outcome.notKept}\n`);
  world.out(`  orrery fuzz ${target.name} --seed ${outcome.seed} --path "${outcome.path}"\n`);
}
