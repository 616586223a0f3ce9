import { closeSync, fdatasync, fsync, openSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { err, ok, type Result } from '../../core/lib/result.ts';
import { fileError, isDiskFull, isOutOfFiles, linkedFile, writeAll } from '../disk/files.ts';

/**
 * Replaces a file durably: temporary file, sync, rename, sync of the directory. Only the two syncs leave the thread:
 * the rest is done by the page cache in microseconds, and each step that waited for another thread would wait for a
 * turn of the event loop too, eight for one signature. An error means that the disk is full, or as many files are open
 * as may be, and the old file still stands. Rejects with OperatingError on any other fault; then the old or the new
 * content may be found, and the caller must not go on.
 */
export async function replaceFileAsync(
  path: string,
  data: Uint8Array,
  mode = 0o600,
): Promise<Result<void, string>> {
  let folder: number | undefined;
  let isWritten = false;
  try {
    const file = linkedFile(path);
    const temporary = `${file}.tmp`;
    // Opened first: what comes after the rename must not lack a descriptor.
    if (process.platform !== 'win32') folder = openSync(dirname(file), 'r');
    const fd = openSync(temporary, 'w', mode);
    try {
      writeAll(fd, data, 0);
      await synced(fd, fdatasync);
    } finally {
      closeSync(fd);
    }
    isWritten = true;
    renameSync(temporary, file);
    if (folder !== undefined) await synced(folder, fsync);
    return ok(undefined);
  } catch (error) {
    const failure = fileError('write', path, error);
    if (!isWritten && (isDiskFull(error) || isOutOfFiles(error))) return err(failure.message);
    throw failure;
  } finally {
    if (folder !== undefined) closeSync(folder);
  }
}

type Sync = (fd: number, done: (error: Error | null) => void) => void;

const synced = (fd: number, sync: Sync): Promise<void> =>
  new Promise<void>((resolve, reject) => {
    sync(fd, (error) => (error === null ? resolve() : reject(error)));
  });
