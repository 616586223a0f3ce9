import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OperatingError } from '../operatingError.ts';

/**
 * The pid of the process that uses a home, for messages only. The actual lock is LevelDB's; the kernel frees it on
 * exit.
 */
const PID_FILE = 'orrery.pid';

const pidPath = (home: string): string => join(home, PID_FILE);

/** Records that this process uses `home`. Call it after the database is open, so that it replaces only a stale note. */
export const notePid = (home: string): void =>
  tried(() => writeFileSync(pidPath(home), `${process.pid}\n`, { mode: 0o600 }));

export const removePid = (home: string): void => tried(() => rmSync(pidPath(home), { force: true }));

/** A home whose configuration is mounted read-only runs without the pid note. */
function tried(work: () => void): void {
  try {
    work();
  } catch {
    // Without the note, the holder cannot be named, but the lock still works.
  }
}

/** The error for a second process on `what` of one home. */
export function lockedError(what: string, home: string): OperatingError {
  const pid = readPid(home);
  const holder = pid === undefined ? 'another process' : `another process (pid ${pid})`;
  return new OperatingError(`${what} is locked by ${holder}: home ${home}`);
}

function readPid(home: string): number | undefined {
  try {
    const pid = Number(readFileSync(pidPath(home), 'utf8').trim());
    return Number.isSafeInteger(pid) && pid > 0 ? pid : undefined;
  } catch {
    // Without a note the error does not name the process.
    return undefined;
  }
}
