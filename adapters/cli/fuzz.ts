import type { Command } from 'commander';
import { parseDuration } from '../config/duration.ts';
import { FUZZ_TARGETS, runFuzz } from '../fuzz/runFuzz.ts';
import { OperatingError } from '../operatingError.ts';
import type { World } from './world.ts';

interface FuzzFlags {
  readonly seed?: string;
  readonly runs: string;
  readonly time?: string;
  readonly path?: string;
  readonly corpus?: string;
}

export function fuzzCommand(command: Command, world: World): void {
  const names = FUZZ_TARGETS.map(({ name }) => name);
  command
    .argument('<target>', `${names.join(', ')}, or all`)
    .option('--seed <number>', 'repeat this run')
    .option('--runs <number>', 'cases', '10000')
    .option('--time <duration>', 'stop after this long, like 10m')
    .option('--path <path>', 'only the case that a failure named')
    .option('--corpus <dir>', 'keep failing cases there, and try those kept before all others')
    .action(async (name: string, flags: FuzzFlags) => {
      const targets = FUZZ_TARGETS.filter((target) => name === 'all' || target.name === name);
      if (targets.length === 0)
        throw new OperatingError(`unknown target ${name}: expected ${names.join(', ')} or all`);
      for (const target of targets) await fuzz(target, flags, world);
    });
}

function whole(flag: string, text: string): number {
  if (!/^-?\d{1,15}$/.test(text))
    throw new OperatingError(`--${flag}: expected a whole number, found ${text}`);
  return Number(text);
}

function timeOf(text: string): number {
  const ms = parseDuration(text);
  if (ms === undefined) throw new OperatingError(`--time: expected a duration like 10m, found ${text}`);
  return ms;
}

async function fuzz(target: (typeof FUZZ_TARGETS)[number], flags: FuzzFlags, world: World): Promise<void> {
  const outcome = await runFuzz(target, {
    seed: flags.seed === undefined ? undefined : whole('seed', flags.seed),
    runs: whole('runs', flags.runs),
    timeMs: flags.time === undefined ? undefined : timeOf(flags.time),
    path: flags.path,
    corpus: flags.corpus,
  });
  if (outcome.kind === 'passed') {
    world.out(`${target.name}: ${outcome.runs} cases hold (seed ${outcome.seed})\n`);
    return;
  }
  world.exitCode = 1;
  world.out(
    `${target.name}: fails after ${outcome.runs} cases: ${outcome.error}\n  input ${outcome.input}\n`,
  );
  world.out(`  orrery fuzz ${target.name} --seed ${outcome.seed} --path "${outcome.path}"\n`);
}
