import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import { fileError, linkedFile, makeDir, onFile } from '../disk/files.ts';
import { causeOf, isLocked } from '../disk/level.ts';
import { lockedError } from '../disk/lock.ts';

/** LevelDB's lock file. It is never deleted: a process that locked a new one would not notice who has the old one. */
const LOCK_FILE = 'LOCK';

/**
 * Locks the validator state for this process; the returned function frees it. Two processes that signed from one state
 * would sign twice, and the lock of the database does not keep out a second one whose database is elsewhere.
 *
 * The lock is that of an empty LevelDB beside the state: the kernel frees it when the process ends, however it ends.
 * Nobody can sign from a state that does not exist, so it is not locked. Throws OperatingError if another process holds
 * the lock.
 */
export async function lockSigner(statePath: string, home: string): Promise<() => Promise<void>> {
  if (!existsSync(statePath)) return async () => {};
  const folder = `${linkedFile(statePath)}.lock`;
  const what = `validator state ${statePath}`;
  onFile('create', folder, () => makeDir(folder));
  const held = await opened(folder).catch((error: unknown) => {
    if (isLocked(error)) throw lockedError(what, home);
    // A power failure may have damaged it. There is nothing in it to lose.
    onFile('empty', folder, () => emptied(folder));
    return opened(folder).catch((again: unknown) => {
      throw isLocked(again) ? lockedError(what, home) : fileError('lock', statePath, causeOf(again));
    });
  });
  return () => held.close();
}

async function opened(folder: string): Promise<ClassicLevel> {
  const held = new ClassicLevel(folder);
  await held.open();
  return held;
}

function emptied(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (name !== LOCK_FILE) rmSync(join(folder, name), { recursive: true, force: true });
  }
}
