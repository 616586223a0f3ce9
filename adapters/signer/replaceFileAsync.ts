import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileError } from '../disk/files.ts';

/**
 * Replaces a file durably without blocking the thread: temporary file, sync, rename, sync of the directory. Rejects
 * with OperatingError; then the old or the new content may be found, and the caller must not go on.
 */
export async function replaceFileAsync(path: string, data: Uint8Array, mode = 0o600): Promise<void> {
  const temporary = `${path}.tmp`;
  try {
    const file = await open(temporary, 'w', mode);
    try {
      await file.writeFile(data);
      await file.datasync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
    if (process.platform === 'win32') return;
    const dir = await open(dirname(path), 'r');
    try {
      await dir.sync();
    } finally {
      await dir.close();
    }
  } catch (error) {
    throw fileError('write', path, error);
  }
}
