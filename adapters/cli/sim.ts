import type { Command } from 'commander';
import { checkCommand } from './sim/check.ts';
import { mixCommand } from './sim/mix.ts';
import { pctCommand } from './sim/pct.ts';
import { recordCommand } from './sim/record.ts';
import { replayCommand } from './sim/replay.ts';
import { reportCommand } from './sim/reportPage.ts';
import { runCommand } from './sim/run.ts';
import { shrinkCommand } from './sim/shrink.ts';
import { sweepCommand } from './sim/sweep.ts';
import { twinsCommand } from './sim/twins.ts';
import type { World } from './world.ts';

/** All commands of the simulator. */
export function simCommand(command: Command, world: World): void {
  runCommand(command, world);
  checkCommand(command, world);
  sweepCommand(command, world);
  mixCommand(command, world);
  replayCommand(command, world);
  shrinkCommand(command, world);
  reportCommand(command, world);
  pctCommand(command, world);
  recordCommand(command, world);
  twinsCommand(command, world);
}
