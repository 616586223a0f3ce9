import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import { mixes } from '../../../sim/mix/mixes.ts';
import { makeDir, onFile } from '../../disk/files.ts';
import { OperatingError } from '../../operatingError.ts';
import type { World } from '../world.ts';
import { seedOf, wholeOf } from './scenarioFile.ts';
import { readScenarios } from './worlds.ts';

const COUNT_MAX = 100_000;

interface MixFlags {
  readonly count: string;
  readonly seed: string;
  readonly output: string;
}

export function mixCommand(sim: Command, world: World): void {
  const command = sim
    .command('mix')
    .argument('<files...>', 'scenarios, or folders of them')
    .requiredOption('-o, --output <dir>', 'new folder for the mixes, which sim sweep can run')
    .option('--count <n>', 'how many to write', '100')
    .option('--seed <seed>', 'seed of the draw', '1')
    .description('write scenarios that are mixes of two: of the files, or of a file and a drawn world');
  command.action((files: readonly string[]) => mix(files, command.opts<MixFlags>(), world));
}

function mix(files: readonly string[], flags: MixFlags, world: World): void {
  const count = wholeOf('--count', flags.count, 1, COUNT_MAX);
  const seed = seedOf(flags.seed);
  const { output } = flags;
  if (onFile('read', output, () => existsSync(output) && readdirSync(output).length > 0))
    throw new OperatingError(`--output: expected a new or empty folder, ${output} has files in it`);
  const read = readScenarios(files, world);
  if (read === undefined) return;
  onFile('write', output, () => makeDir(output, 0o777));
  let made = 0;
  for (const { text, of } of mixes(
    read.map((one) => ({ name: one.file, text: one.text })),
    seed,
  )) {
    const name = `mix-${String(++made).padStart(String(count).length, '0')}.yaml`;
    const file = path.join(output, name);
    onFile('write', file, () => writeFileSync(file, `# ${of.join(' with ')}\n${text}`));
    if (made === count) break;
  }
  if (made < count)
    throw new OperatingError(`${made} of ${count} mixes written: no others of these scenarios can be run`);
  world.out(`${made} scenario${made === 1 ? '' : 's'} written to ${output}\n`);
}
