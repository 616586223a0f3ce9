/** What keeps an execution for a reader from taking the node's time. */
import { formatDuration } from '../lib/duration.ts';
import { SteadyClock } from '../lib/steadyClock.ts';
import type { Pause } from '../types/app.ts';
import type { Micros, Millis } from '../types/ids.ts';

/** An execution was given up; nothing of it stays. */
export class ExecutionAborted extends Error {
  override readonly name = 'ExecutionAborted';
}

/** Asked again and again while an execution runs, at least once in any stretch that code can repeat. */
export interface Guard {
  /** Undefined, or what to wait for before going on. Throws ExecutionAborted. */
  tick(): Promise<void> | undefined;
}

export interface GuardOptions {
  /** Of the host; an execution is charged for waiting, too. While it is set back nothing passes. */
  readonly now: () => Micros;
  /** Lets everything else of the node run. */
  readonly pause: Pause;
  /** Most time of one request; 0 is no limit (geth's --rpc.evmtimeout). */
  readonly timeoutMs: Millis;
}

export type GuardFactory = () => Guard;

export const DEFAULT_EVM_TIMEOUT_MS = 5_000;
/** Ticks between two looks at the clock: a few microseconds of code. */
const TICKS_PER_LOOK = 64;
/** Longest stretch without a pause. */
const SLICE_MICROS = 5_000;

/** Pauses every few milliseconds, so that consensus goes on beside it, and gives up after the timeout. */
export class TimeGuard implements Guard {
  readonly #options: GuardOptions;
  readonly #steady = new SteadyClock();
  readonly #begun: Micros;
  #paused: Micros;
  #ticks = 0;

  constructor(options: GuardOptions) {
    this.#options = options;
    this.#begun = this.#now();
    this.#paused = this.#begun;
  }

  #now(): Micros {
    return this.#steady.at(this.#options.now());
  }

  tick(): Promise<void> | undefined {
    this.#ticks++;
    return this.#ticks % TICKS_PER_LOOK === 0 ? this.#look() : undefined;
  }

  #look(): Promise<void> | undefined {
    const { pause, timeoutMs } = this.#options;
    const time = this.#now();
    if (timeoutMs > 0 && time - this.#begun >= timeoutMs * 1000)
      throw new ExecutionAborted(`execution aborted (timeout = ${formatDuration(timeoutMs)})`);
    if (time - this.#paused < SLICE_MICROS) return undefined;
    return pause().then(() => {
      this.#paused = this.#now();
    });
  }
}
