import { fdatasync, writeSync } from 'node:fs';

/**
 * The two system calls of the hot path; replaced in tests by ones that fail. A write goes to the page cache and is done
 * on the thread: to wake another one costs more. Only the sync waits for the disk.
 */
export interface WalIo {
  /** The count of bytes written; throws what the system says. */
  write(fd: number, bytes: Uint8Array, offset: number, position: number): number;
  sync(fd: number, done: (error: Error | null) => void): void;
}

export const NODE_IO: WalIo = {
  write: (fd, bytes, offset, position) => writeSync(fd, bytes, offset, bytes.length - offset, position),
  sync: (fd, done) => fdatasync(fd, done),
};
