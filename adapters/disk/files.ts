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

/** Texts for codes whose usual message would not help an operator. */
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
  ERR_STRING_TOO_LONG: 'it has more than 512 MiB',
};

export function reasonOf(error: unknown): string {
  const code = (error as { code?: unknown } | undefined)?.code;
  if (typeof code === 'string' && REASONS[code] !== undefined) return REASONS[code];
  const text = error instanceof Error ? error.message : String(error);
  return text.split('\n', 1)[0] ?? 'unknown error';
}

/** The disk or the user's quota is full: an error that may pass. */
export const isDiskFull = (error: unknown): boolean => {
  const code = (error as { code?: unknown } | undefined)?.code;
  return code === 'ENOSPC' || code === 'EDQUOT';
};

/** `cannot <action> <path>: <reason>`. */
export const fileError = (action: string, path: string, error: unknown): OperatingError =>
  error instanceof OperatingError
    ? error
    : new OperatingError(`cannot ${action} ${path}: ${reasonOf(error)}`, { cause: error });

/** The process or the system has too many open files: an error that passes when some are closed. */
export const isOutOfFiles = (error: unknown): boolean => {
  const code = (error as { code?: unknown } | undefined)?.code;
  return code === 'EMFILE' || code === 'ENFILE';
};

/** Runs file work. Any error becomes an OperatingError that names `path`. */
export function onFile<T>(action: string, path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw fileError(action, path, error);
  }
}

/**
 * Whether the file or folder exists. If that cannot be determined (no permission, or a parent is a file), it throws
 * OperatingError. With `throwIfNoEntry: false`, Node 22 and later report a file as parent like a missing entry.
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

/** Makes names that were created, renamed or removed in `dir` survive a power failure. */
export function syncDir(dir: string): void {
  // Windows cannot open a directory for a sync; the file system's journal must suffice there.
  if (process.platform === 'win32') return;
  const fd = openSync(dir, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Writes all of `data`, even if single writes are short. */
export function writeAll(fd: number, data: Uint8Array, position: number): void {
  let done = 0;
  while (done < data.length) done += writeSync(fd, data, done, data.length - done, position + done);
}

/**
 * Opens an existing file for appending. Its bytes are written and synced again: if the previous run ended with a failed
 * sync, the kernel may consider pages clean that the disk never received.
 */
export function openRewritten(path: string): number {
  const fd = openSync(path, 'r+');
  writeAll(fd, readFileSync(fd), 0);
  fsyncSync(fd);
  return fd;
}

/** `mkdir -p` whose directory names survive a power failure; private directories by default. */
export function makeDir(dir: string, mode = 0o700): void {
  const missing: string[] = [];
  for (let at = dir; !existsSync(at) && missing.length < 64; at = dirname(at)) missing.unshift(at);
  for (const one of missing) {
    // Node's recursive mkdir never returns where a directory cannot be created for lack of its parent, as below /proc.
    if (!existsSync(one)) mkdirSync(one, { mode });
    syncDir(dirname(one));
  }
}

/**
 * The target of a symbolic link, else the path itself: a file that an operator moved (to its own volume) must stay
 * there.
 */
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
 * Replaces a file so that after a power failure either the old or the new content is complete: temporary file, sync,
 * rename, sync of the directory.
 */
export function replaceFile(path: string, data: Uint8Array, mode = 0o600): void {
  const file = linkedFile(path);
  const temporary = `${file}.tmp`;
  // Keeps tighter permissions that an operator has set (e.g. for a password in the settings).
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
    // A partial file is useless and takes space on a full disk.
    rmSync(temporary, { force: true });
    throw error;
  }
  syncDir(dirname(file));
}
