import { closeSync, fdatasync, fsync, openSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { err, ok, type Result } from '../../core/lib/result.ts';
import { fileError, isDiskFull, writeAll } from '../disk/files.ts';

/**
 * Replaces a file durably: temporary file, sync, rename, sync of the directory. Only the two syncs leave the thread:
 * the rest is done by the page cache in microseconds, and each step that waited for another thread would wait for a
 * turn of the event loop too, eight for one signature. An error means that the disk is full and the old file still
 * stands. Rejects with OperatingError on any other fault; then the old or the new content may be found, and the
 * caller must not go on.
 */
export async function replaceFileAsync(
  path: string,
  data: Uint8Array,
  mode = 0o600,
): Promise<Result<void, string>> {
  const temporary = `${path}.tmp`;
  try {
    await synced(openSync(temporary, 'w', mode), (fd, done) => {
      writeAll(fd, data, 0);
      fdatasync(fd, done);
    });
  } catch (error) {
    const failure = fileError('write', path, error);
    if (isDiskFull(error)) return err(failure.message);
    throw failure;
  }
  try {
    renameSync(temporary, path);
    if (process.platform !== 'win32') await synced(openSync(dirname(path), 'r'), fsync);
    return ok(undefined);
  } catch (error) {
    throw fileError('write', path, error);
  }
}

type Sync = (fd: number, done: (error: Error | null) => void) => void;

/** Closes the file whatever comes of `sync`. */
async function synced(fd: number, sync: Sync): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => {
      sync(fd, (error) => (error === null ? resolve() : reject(error)));
    });
  } finally {
    closeSync(fd);
  }
}
