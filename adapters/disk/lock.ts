import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OperatingError } from '../operatingError.ts';

/** Who holds a home, for messages only: the lock itself is LevelDB's, which the kernel frees with the process. */
const PID_FILE = 'orrery.pid';

const pidPath = (home: string): string => join(home, PID_FILE);

/** Notes that this process runs on `home`. Call when the database is open, so that a stale note is simply replaced. */
export const notePid = (home: string): void =>
  tried(() => writeFileSync(pidPath(home), `${process.pid}\n`, { mode: 0o600 }));

export const removePid = (home: string): void => tried(() => rmSync(pidPath(home), { force: true }));

/** A home that only its data can be written in (a mounted configuration) is run without a note. */
function tried(work: () => void): void {
  try {
    work();
  } catch {
    // Who holds the home is then not named; that it is held is still known.
  }
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
