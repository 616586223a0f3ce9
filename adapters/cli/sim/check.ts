import type { Command } from 'commander';
import type { World } from '../world.ts';
import { readScenarios } from './worlds.ts';

export function checkCommand(sim: Command, world: World): void {
  sim
    .command('check')
    .argument('<files...>', 'scenarios, or folders of them')
    .description('read scenarios without running them; exit code 0: all can be run, 2: one is wrong')
    .action((files: readonly string[]) => {
      const good = readScenarios(files, world);
      if (good !== undefined)
        world.out(`${good.length} scenario${good.length === 1 ? '' : 's'} can be run\n`);
    });
}
