import path from 'node:path';
import type { NodeFiles } from '../config/nodeConfig.ts';
import { isThere } from '../disk/files.ts';
import { LevelStore } from '../disk/level.ts';
import { OperatingError } from '../operatingError.ts';
import { lockSigner } from '../signer/signerLock.ts';

/**
 * Runs work on the database of a node, and refuses while the node runs. Its flags may have named another database than
 * the settings do, so the work needs the lock of the signer too. `purpose` appears in messages: `export`.
 */
export async function onStoppedNode<T>(
  { data, home, validatorState }: NodeFiles,
  purpose: string,
  work: (kv: LevelStore) => Promise<T>,
): Promise<T> {
  const db = path.join(data, 'node.db');
  if (!isThere(db)) throw new OperatingError(`${db} does not exist: there is nothing to ${purpose}`);
  return whileNoneSigns(validatorState, home, async () => {
    const kv = await LevelStore.open(db, home);
    try {
      return await work(kv);
    } finally {
      await kv.close();
    }
  });
}

export async function whileNoneSigns<T>(statePath: string, home: string, work: () => Promise<T>): Promise<T> {
  const free = await lockSigner(statePath, home);
  try {
    return await work();
  } finally {
    await free();
  }
}
