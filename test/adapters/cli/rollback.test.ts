import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { expect, test } from 'vitest';
import { rollbackCommand } from '../../../adapters/cli/rollback.ts';
import { LevelStore } from '../../../adapters/disk/level.ts';
import { createSignState } from '../../../adapters/signer/fileSigner.ts';
import { lockSigner } from '../../../adapters/signer/signerLock.ts';
import { BlockStore } from '../../../core/store/blockStore.ts';
import { undoneHeight } from '../../../core/store/undo.ts';
import { StoreChain } from '../../core/store/storeChain.ts';
import { tempDir } from '../tempDir.ts';

async function rollback(home: string): Promise<string> {
  let out = '';
  const say = (text: string): void => {
    out += text;
  };
  const command = new Command('rollback').option('--home <dir>');
  rollbackCommand(command, { env: {}, out: say, err: say, exitCode: 0 } as Parameters<
    typeof rollbackCommand
  >[1]);
  await command.parseAsync(['--home', home], { from: 'user' });
  return out;
}

test('rollback says where the state is now, and refuses a home in use or without a chain', async () => {
  const home = tempDir();
  await expect(rollback(home)).rejects.toThrow(/does not exist: there is nothing to roll back$/);
  writeFileSync(join(home, 'data'), 'a file');
  await expect(rollback(home)).rejects.toThrow(/^cannot read .*node\.db: not a directory$/);
  rmSync(join(home, 'data'));
  mkdirSync(join(home, 'data'));
  const db = join(home, 'data', 'node.db');
  const kv = await LevelStore.open(db, home);
  const chain = new StoreChain();
  await chain.grow(new BlockStore(kv), [{}, {}, {}]);
  await expect(rollback(home)).rejects.toThrow(/locked by another process/);
  await kv.close();
  const state = join(home, 'data', 'priv_validator_state.json');
  createSignState(state);
  // As a node whose flags name another database.
  const free = await lockSigner(state, home);
  await expect(rollback(home)).rejects.toThrow(/^validator state .* is locked by another process/);
  await free();
  const appHash = Buffer.from(chain.inputs[1]?.state.appHash ?? [])
    .toString('hex')
    .toUpperCase();
  expect(await rollback(home)).toBe(`Rolled back state to height 2 and hash ${appHash}\n`);
  const after = await LevelStore.open(db, home);
  expect(undoneHeight(after)).toBe(3);
  expect(new BlockStore(after).reads.head()).toBe(2);
  await after.close();
});

test('rollback looks for the database where the settings say it is', async () => {
  const home = tempDir();
  mkdirSync(join(home, 'config'));
  writeFileSync(join(home, 'config', 'config.toml'), 'db_dir = "elsewhere"\n');
  const kv = await LevelStore.open(join(home, 'elsewhere', 'node.db'), home);
  await new StoreChain().grow(new BlockStore(kv), [{}, {}, {}]);
  await kv.close();
  expect(await rollback(home)).toMatch(/^Rolled back state to height 2 /);
});
