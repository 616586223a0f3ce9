import { statfsSync } from 'node:fs';

export interface DiskSpaceOptions {
  /** Said once when writing has to wait, and once when it goes on. */
  readonly warn: (text: string) => void;
  readonly info: (text: string) => void;
  /** Writing waits below this many free bytes; LevelDB needs room to merge its tables. */
  readonly reserveBytes?: number;
  /** Free bytes for this user; replaced in tests. */
  readonly freeBytes?: (dir: string) => number;
  readonly pollMs?: number;
}

const RESERVE_BYTES = 64 * 1024 * 1024;
const POLL_MS = 1000;
/** Between two looks while there is plenty. */
const LOOK_EVERY_MS = 1000;

function freeOf(dir: string): number {
  const { bavail, bsize } = statfsSync(dir);
  return bavail * bsize;
}

/**
 * Makes a node wait before its disk is full, instead of failing when it is: no record is written, so no vote leaves and
 * no block is stored, while readers are still served; when there is room again it goes on where it stood.
 */
export class DiskSpace {
  readonly #dir: string;
  readonly #options: Required<DiskSpaceOptions>;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #waiting: Promise<void> | undefined;

  constructor(dir: string, options: DiskSpaceOptions) {
    this.#dir = dir;
    this.#options = { reserveBytes: RESERVE_BYTES, freeBytes: freeOf, pollMs: POLL_MS, ...options };
  }

  /** undefined: write now. Otherwise resolves when there is room. `isLast`: a write that finds none cannot be repeated. */
  whenFree(isLast = false): Promise<void> | undefined {
    if (this.#waiting !== undefined) return this.#waiting;
    const now = performance.now();
    if (!isLast && now - this.#lookedAt < LOOK_EVERY_MS) return undefined;
    this.#lookedAt = now;
    return this.#isLow() ? this.#wait('is almost full') : undefined;
  }

  /** A write has found no room (a quota, or another process was faster): waits until a further try is worth it. */
  afterFailure(): Promise<void> {
    return this.#waiting ?? this.#wait('is full');
  }

  #isLow(): boolean {
    try {
      return this.#options.freeBytes(this.#dir) < this.#options.reserveBytes;
    } catch {
      // A file system that cannot say is written to; a full one still reports it by itself.
      return false;
    }
  }

  #wait(how: string): Promise<void> {
    const { warn, info, pollMs } = this.#options;
    warn(`the disk of ${this.#dir} ${how}: not voting and storing no block until there is room`);
    const waiting = new Promise<void>((resolve) => {
      // Holds the process: in a start nothing else may, and an exit without a word is no waiting.
      const timer = setInterval(() => {
        if (this.#isLow()) return;
        clearInterval(timer);
        this.#waiting = undefined;
        this.#lookedAt = Number.NEGATIVE_INFINITY;
        info(`the disk of ${this.#dir} has room again: going on`);
        resolve();
      }, pollMs);
    });
    this.#waiting = waiting;
    return waiting;
  }
}
