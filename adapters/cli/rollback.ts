import { existsSync, renameSync } from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import { nobleSuite } from '../../core/crypto/noble.ts';
import { toUpperHex } from '../../core/lib/bytes.ts';
import { planRollback } from '../../core/node/rollback.ts';
import { loadNodeConfig } from '../config/nodeConfig.ts';
import { onFile, syncDir } from '../disk/files.ts';
import { OperatingError } from '../operatingError.ts';
import { onStoppedNode } from './stoppedNode.ts';
import { type GlobalOptions, homeFrom, type World } from './world.ts';

const LOG = 'cs.wal';

/** Renames the WAL: a log of heights that no longer exist cannot be replayed. The next start creates a new one. */
function setLogAside(data: string, height: number): void {
  const log = path.join(data, LOG);
  if (!existsSync(log)) return;
  let aside = `${log}.rolled-back-${height}`;
  for (let i = 1; existsSync(aside); i++) aside = `${log}.rolled-back-${height}.${i}`;
  onFile('rename', log, () => renameSync(log, aside));
  onFile('sync', data, () => syncDir(data));
}

export function rollbackCommand(command: Command, world: World): void {
  command
    .option('--hard', 'forget the block too, not only what it did; the log of consensus is set aside')
    .action(async () => {
      const options: GlobalOptions & { hard?: true } = command.optsWithGlobals();
      const home = homeFrom(options, world);
      const { files } = loadNodeConfig(home, new Map(), world.env);
      const isHard = options.hard === true;
      await onStoppedNode(files, 'roll back', async (kv) => {
        const plan = planRollback(kv, nobleSuite, isHard);
        if (!plan.ok) throw new OperatingError(plan.error);
        const { height, appHash, ops } = plan.value;
        // The WAL goes first: without it, the node can start from either state; with it, only before the rollback.
        if (isHard) setLogAside(files.data, height);
        if (ops.length > 0) await kv.batch(ops);
        const what = isHard ? 'both state and block' : 'state';
        world.out(`Rolled back ${what} to height ${height} and hash ${toUpperHex(appHash)}\n`);
      });
    });
}
