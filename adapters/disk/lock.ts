import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OperatingError } from '../operatingError.ts';
import { onFile } from './files.ts';

/** Who holds a home, for messages only: the lock itself is LevelDB's, which the kernel frees with the process. */
const PID_FILE = 'orrery.pid';

const pidPath = (home: string): string => join(home, PID_FILE);

/** Notes that this process runs on `home`. Call when the database is open, so that a stale note is simply replaced. */
export function notePid(home: string): void {
  onFile('write', pidPath(home), () => writeFileSync(pidPath(home), `${process.pid}\n`, { mode: 0o600 }));
}

export function removePid(home: string): void {
  onFile('remove', pidPath(home), () => rmSync(pidPath(home), { force: true }));
}

/** The refusal of a second process on one home. */
export function lockedError(home: string): OperatingError {
  const pid = readPid(home);
  const holder = pid === undefined ? 'another process' : `another process (pid ${pid})`;
  return new OperatingError(`database is locked by ${holder}: home ${home}`);
}

function readPid(home: string): number | undefined {
  try {
    const pid = Number(readFileSync(pidPath(home), 'utf8').trim());
    return Number.isSafeInteger(pid) && pid > 0 ? pid : undefined;
  } catch {
    // No note, no number: the refusal is right without it.
    return undefined;
  }
}
