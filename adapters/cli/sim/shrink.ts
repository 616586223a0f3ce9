import { accessSync, constants, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Command } from 'commander';
import { type Best, type ScenarioSize, shrinkScenario } from '../../../sim/shrink/shrink.ts';
import { acceleratedSuite } from '../../crypto/accelerated.ts';
import { onFile } from '../../disk/files.ts';
import type { World } from '../world.ts';
import { CRYPTO_OPTION } from './cryptoFlag.ts';
import { PCT_OPTION, pctArgs } from './pctFlag.ts';
import { clock, ProgressLine } from './progress.ts';
import {
  EXIT_BAD_FILE,
  millisecondsOf,
  quoted,
  refuseFile,
  refuseOutput,
  refuseTrace,
  wholeOf,
} from './scenarioFile.ts';
import { sourceOf } from './source.ts';

interface ShrinkFlags {
  readonly seed?: string;
  readonly swarm?: boolean;
  readonly crypto?: string;
  readonly pct?: string;
  readonly output?: string;
  readonly runs: string;
  readonly budget: string;
}

export function shrinkCommand(sim: Command, world: World): void {
  const command = sim
    .command('shrink')
    .argument('[file]', 'scenario')
    .option('--seed <seed>', 'the seed with which it fails (default: that of the scenario, or 1)')
    .option('--swarm', 'instead of a file: the world that a swarm sweep draws for the seed')
    .option(...CRYPTO_OPTION)
    .option(...PCT_OPTION)
    .option('-o, --output <file>', 'write the smaller scenario there (default: print it)')
    .option('--runs <n>', 'most candidates to try', '400')
    .option('--budget <duration>', 'longest time to search, e.g. 10m', '2m')
    .description(
      'find a smaller scenario that breaks the same promise; exit code 2 if there is nothing to shrink',
    );
  command.action((file: string | undefined) => shrink(file, command.opts<ShrinkFlags>(), world));
}

async function shrink(file: string | undefined, flags: ShrinkFlags, world: World): Promise<void> {
  const source = await sourceOf(file, flags);
  refuseTrace(source.name, source.text);
  const runsMax = wholeOf('--runs', flags.runs, 1, 1_000_000);
  const seconds = millisecondsOf('--budget', flags.budget) / 1000;
  const { output } = flags;
  // Checked now, so that it does not fail after minutes of search.
  if (output !== undefined) onFile('write', output, () => accessSync(dirname(output), constants.W_OK));
  if (output !== undefined) refuseOutput('--output', output, file, 'scenario');
  const progress = new ProgressLine(world);
  const more = pctArgs(source.pct);
  const how = more === '' ? '' : `# run it with${more}\n`;
  const storyOf = ({ text, broken }: Best): string =>
    `# broken: ${broken.checker}: ${broken.message}\n${how}${text}`;
  let cuts = 0;
  const result = await shrinkScenario(source.text, {
    seed: source.seed,
    run: { suite: await acceleratedSuite(), pct: source.pct },
    runsMax,
    isEnough: () => progress.wallSeconds >= seconds,
    onStep: (best) => {
      cuts++;
      // Who ends the search with Ctrl-C keeps what it has found.
      if (output !== undefined) onFile('write', output, () => writeFileSync(output, storyOf(best)));
    },
    onRun: (runs, size) =>
      progress.say(
        () =>
          `${runs} of at most ${runsMax} runs, ${clock(progress.wallSeconds)} of at most ${clock(seconds)}, ${cuts} times smaller: ${sizeText(size)}`,
      ),
  });
  progress.end();
  if (!result.ok) {
    if (result.error.kind === 'scenario') return refuseFile(world, source.name, result.error.error);
    world.err(`${source.name} passes with seed ${result.error.seed}: there is nothing to shrink\n`);
    world.exitCode = EXIT_BAD_FILE;
    return;
  }
  const { broken, runs, before, after } = result.value;
  const story = storyOf(result.value);
  const said = `kept: ${broken.checker}: ${broken.cause}\nbefore: ${sizeText(before)}\nafter:  ${sizeText(after)}\n${runs} runs\n`;
  if (output === undefined) {
    world.err(said);
    world.out(story);
    return;
  }
  onFile('write', output, () => writeFileSync(output, story));
  world.out(`${said}reproduce: npx orrery sim run ${quoted(output)}${more}\n`);
}

function sizeText({ faultLines, validators, clients, height }: ScenarioSize): string {
  const until = height === undefined ? '' : `, until height ${height}`;
  return `${faultLines} timeline and byzantine lines, ${validators} validators, ${clients} clients${until}`;
}
