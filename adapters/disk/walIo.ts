import { fdatasync, writeSync } from 'node:fs';

/**
 * The system calls by which the log grows; tests replace them with failing ones. A write goes to the page cache and runs
 * on this thread, since waking another thread costs more. Only the sync waits for the disk.
 */
export interface WalIo {
  /** Returns the number of bytes written; throws the system's error. */
  write(fd: number, bytes: Uint8Array, offset: number, position: number): number;
  sync(fd: number, done: (error: Error | null) => void): void;
}

export const NODE_IO: WalIo = {
  write: (fd, bytes, offset, position) => writeSync(fd, bytes, offset, bytes.length - offset, position),
  sync: (fd, done) => fdatasync(fd, done),
};
