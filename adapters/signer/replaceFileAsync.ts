import { closeSync, fdatasync, fsync, openSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { err, ok, type Result } from '../../core/lib/result.ts';
import { fileError, isDiskFull, isOutOfFiles, linkedFile, writeAll } from '../disk/files.ts';

/**
 * Replaces a file durably: temporary file, sync, rename, sync of the directory. Only the two syncs run off the thread.
 * The other steps only touch the page cache and take microseconds; run asynchronously, each would also wait for a turn
 * of the event loop, eight for one signature. An error result means that the disk is full or too many files are open,
 * and the old file is intact. Rejects with OperatingError on any other fault: then the old or the new content may be on
 * disk, and the caller must not continue.
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
    // Opened first: after the rename, no descriptor might be left for it.
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
