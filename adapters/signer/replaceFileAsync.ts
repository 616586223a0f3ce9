import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { err, ok, type Result } from '../../core/lib/result.ts';
import { fileError, isDiskFull } from '../disk/files.ts';

/**
 * Replaces a file durably without blocking the thread: temporary file, sync, rename, sync of the directory. An error
 * means that the disk is full and the old file still stands. Rejects with OperatingError on any other fault; then the
 * old or the new content may be found, and the caller must not go on.
 */
export async function replaceFileAsync(
  path: string,
  data: Uint8Array,
  mode = 0o600,
): Promise<Result<void, string>> {
  const temporary = `${path}.tmp`;
  try {
    await writeTemporary(temporary, data, mode);
  } catch (error) {
    const failure = fileError('write', path, error);
    if (isDiskFull(error)) return err(failure.message);
    throw failure;
  }
  try {
    await rename(temporary, path);
    if (process.platform === 'win32') return ok(undefined);
    const dir = await open(dirname(path), 'r');
    try {
      await dir.sync();
    } finally {
      await dir.close();
    }
    return ok(undefined);
  } catch (error) {
    throw fileError('write', path, error);
  }
}

async function writeTemporary(path: string, data: Uint8Array, mode: number): Promise<void> {
  const file = await open(path, 'w', mode);
  try {
    await file.writeFile(data);
    await file.datasync();
  } finally {
    await file.close();
  }
}
