import { writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { type ScenarioSize, shrinkScenario } from '../../../sim/shrink/shrink.ts';
import { acceleratedSuite } from '../../crypto/accelerated.ts';
import { onFile } from '../../disk/files.ts';
import type { World } from '../world.ts';
import { CRYPTO_OPTION } from './cryptoFlag.ts';
import { EXIT_BROKEN, millisecondsOf, quoted, refuseFile, wholeOf } from './scenarioFile.ts';
import { sourceOf } from './source.ts';

interface ShrinkFlags {
  readonly seed?: string;
  readonly swarm?: boolean;
  readonly crypto?: string;
  readonly output?: string;
  readonly runs: string;
  readonly budget: string;
}

export function shrinkCommand(sim: Command, world: World): void {
  const command = sim
    .command('shrink')
    .argument('[file]', 'scenario')
    .option('--seed <number>', 'the seed with which it fails (default: that of the scenario, or 1)')
    .option('--swarm', 'instead of a file: the world that a swarm sweep draws for the seed')
    .option(...CRYPTO_OPTION)
    .option('-o, --output <file>', 'write the smaller scenario there (default: print it)')
    .option('--runs <n>', 'try at most so many candidates', '400')
    .option('--budget <duration>', 'search for at most so long, e.g. 10m', '2m')
    .description(
      'find a smaller scenario that breaks the same promise; exit code 1 if there is nothing to shrink',
    );
  command.action((file: string | undefined) => shrink(file, command.opts<ShrinkFlags>(), world));
}

async function shrink(file: string | undefined, flags: ShrinkFlags, world: World): Promise<void> {
  const source = await sourceOf(file, flags);
  const runsMax = wholeOf('--runs', flags.runs, 1, 1_000_000);
  const endsAt = performance.now() + budgetMs(flags.budget);
  const result = await shrinkScenario(source.text, {
    seed: source.seed,
    run: { suite: await acceleratedSuite() },
    runsMax,
    isEnough: () => performance.now() >= endsAt,
    onStep: (what, runs) => {
      if (world.errIsTty === true) world.err(`\r\x1b[K${runs} runs, smaller by ${what}`);
    },
  });
  if (world.errIsTty === true) world.err('\r\x1b[K');
  if (!result.ok) {
    if (result.error.kind === 'scenario') return refuseFile(world, source.name, result.error.error);
    world.err(`${source.name} passes with seed ${result.error.seed}: there is nothing to shrink\n`);
    world.exitCode = EXIT_BROKEN;
    return;
  }
  const { text, broken, runs, before, after } = result.value;
  const story = `# broken: ${broken.checker}: ${broken.message}\n${text}`;
  const said = `kept: ${broken.checker}: ${broken.cause}\nbefore: ${sizeText(before)}\nafter:  ${sizeText(after)}\n${runs} runs\n`;
  const { output } = flags;
  if (output === undefined) {
    world.err(said);
    world.out(story);
    return;
  }
  onFile('write', output, () => writeFileSync(output, story));
  world.out(`${said}reproduce: npx orrery sim run ${quoted(output)}\n`);
}

/** A bare number is of seconds. */
const budgetMs = (text: string): number =>
  millisecondsOf('--budget', /^\d{1,7}$/.test(text) ? `${text}s` : text);

function sizeText({ faultLines, validators, clients, height }: ScenarioSize): string {
  const until = height === undefined ? '' : `, until height ${height}`;
  return `${faultLines} timeline and byzantine lines, ${validators} validators, ${clients} clients${until}`;
}
