import {
  closeSync,
  existsSync,
  fdatasyncSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { OperatingError } from '../operatingError.ts';

/** errno in words where the usual text would not help an operator. */
const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'no space left on device',
  EACCES: 'permission denied',
  EPERM: 'operation not permitted',
  EROFS: 'read-only file system',
  ENOENT: 'no such file or directory',
  EIO: 'input/output error',
  EMFILE: 'too many open files',
  EISDIR: 'is a directory',
  ENOTDIR: 'not a directory',
  EDQUOT: 'disk quota exceeded',
};

export function reasonOf(error: unknown): string {
  const code = (error as { code?: unknown } | undefined)?.code;
  if (typeof code === 'string' && REASONS[code] !== undefined) return REASONS[code];
  const text = error instanceof Error ? error.message : String(error);
  return text.split('\n', 1)[0] ?? 'unknown error';
}

/** No room, or none left for this user: a fault that may pass. */
export const isDiskFull = (error: unknown): boolean => {
  const code = (error as { code?: unknown } | undefined)?.code;
  return code === 'ENOSPC' || code === 'EDQUOT';
};

/** `cannot <action> <path>: <reason>`. */
export const fileError = (action: string, path: string, error: unknown): OperatingError =>
  error instanceof OperatingError
    ? error
    : new OperatingError(`cannot ${action} ${path}: ${reasonOf(error)}`, { cause: error });

/** As many files are open as may be; some are closed again. */
export const isOutOfFiles = (error: unknown): boolean => {
  const code = (error as { code?: unknown } | undefined)?.code;
  return code === 'EMFILE' || code === 'ENFILE';
};

/** Runs a piece of file work; whatever it throws comes out as an OperatingError about `path`. */
export function onFile<T>(action: string, path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw fileError(action, path, error);
  }
}

/**
 * Whether there is such a file or folder. One that may not be looked at, or that would lie in a file, is not missing: that is an
 * OperatingError. Node 22 and later do not tell the second from a missing one with `throwIfNoEntry: false`.
 */
export const isThere = (path: string): boolean =>
  onFile('read', path, () => {
    try {
      statSync(path);
      return true;
    } catch (error) {
      if ((error as { code?: unknown }).code === 'ENOENT') return false;
      throw error;
    }
  });

/** Makes names created, renamed or removed in `dir` survive a power cut. */
export function syncDir(dir: string): void {
  // Windows has no handle to sync a directory with; there the file system's journal has to do.
  if (process.platform === 'win32') return;
  const fd = openSync(dir, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Writes all of `data`, however short the single writes are. */
export function writeAll(fd: number, data: Uint8Array, position: number): void {
  let done = 0;
  while (done < data.length) done += writeSync(fd, data, done, data.length - done, position + done);
}

/**
 * Opens a file of ours to go on with it. Its bytes are written and synced once more: where the run before ended in a
 * failed sync, the kernel may show pages that it holds for clean and the disk has never seen.
 */
export function openRewritten(path: string): number {
  const fd = openSync(path, 'r+');
  writeAll(fd, readFileSync(fd), 0);
  fsyncSync(fd);
  return fd;
}

/** `mkdir -p` with directories whose names are durable, private ones unless told. */
export function makeDir(dir: string, mode = 0o700): void {
  const missing: string[] = [];
  for (let at = dir; !existsSync(at) && missing.length < 64; at = dirname(at)) missing.unshift(at);
  for (const one of missing) {
    // Node's own way to make them all never ends where one cannot be made for want of its parent, as below /proc.
    if (!existsSync(one)) mkdirSync(one, { mode });
    syncDir(dirname(one));
  }
}

/** Where a link leads, if it is one: what an operator has put elsewhere (a volume of its own) is to stay there. */
export function linkedFile(path: string): string {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ENOENT') throw error;
    const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
    return isLink ? resolve(dirname(path), readlinkSync(path)) : path;
  }
}

/**
 * Replaces a file so that, whenever the power goes, either the old or the new content is found whole: temporary file,
 * sync, rename, sync of the directory.
 */
export function replaceFile(path: string, data: Uint8Array, mode = 0o600): void {
  const file = linkedFile(path);
  const temporary = `${file}.tmp`;
  // What an operator has closed to others (a password in the settings) is not opened to them again.
  const before = statSync(file, { throwIfNoEntry: false })?.mode ?? mode;
  const fd = openSync(temporary, 'w', mode & before);
  try {
    try {
      writeAll(fd, data, 0);
      fdatasyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(temporary, file);
  } catch (error) {
    // Half a secret is no use to anybody, and takes room on a full disk.
    rmSync(temporary, { force: true });
    throw error;
  }
  syncDir(dirname(file));
}
