import { statfsSync } from 'node:fs';

export interface DiskSpaceOptions {
  /** Called once when writing must wait; `info` once when it continues. */
  readonly warn: (text: string) => void;
  readonly info: (text: string) => void;
  /** Writing waits below this many free bytes, because LevelDB needs room to merge its tables. */
  readonly reserveBytes?: number;
  /** Free bytes for this user; tests replace it. */
  readonly freeBytes?: (dir: string) => number;
  readonly pollMs?: number;
}

const RESERVE_BYTES = 64 * 1024 * 1024;
const POLL_MS = 1000;
/** Time in ms between two checks while there is enough space. */
const LOOK_EVERY_MS = 1000;

function freeOf(dir: string): number {
  const { bavail, bsize } = statfsSync(dir);
  return bavail * bsize;
}

/**
 * Makes a node wait before its disk is full, instead of failing. No record is written meanwhile, so no vote is sent and
 * no block is stored, but readers are still served. When there is space again, the node continues.
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

  /**
   * undefined: write now; else resolves when there is room. `isLast`: a write that fails for lack of space cannot be
   * repeated.
   */
  whenFree(isLast = false): Promise<void> | undefined {
    if (this.#waiting !== undefined) return this.#waiting;
    const now = performance.now();
    if (!isLast && now - this.#lookedAt < LOOK_EVERY_MS) return undefined;
    this.#lookedAt = now;
    return this.#isLow() ? this.#wait('is almost full') : undefined;
  }

  /**
   * After a write has failed for lack of space (a quota, or another process was faster): waits until a retry makes
   * sense.
   */
  afterFailure(): Promise<void> {
    return this.#waiting ?? this.#wait('is full');
  }

  #isLow(): boolean {
    try {
      return this.#options.freeBytes(this.#dir) < this.#options.reserveBytes;
    } catch {
      // If the free space is unknown, writing goes on: a full disk still reports an error.
      return false;
    }
  }

  #wait(how: string): Promise<void> {
    const { warn, info, pollMs } = this.#options;
    warn(`the disk of ${this.#dir} ${how}: not voting and storing no block until there is room`);
    const waiting = new Promise<void>((resolve) => {
      // The timer keeps the process alive: during a start nothing else may, and the node must not exit silently.
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
