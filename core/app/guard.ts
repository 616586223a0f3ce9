/** Keeps executions for readers from taking too much of the node's time. */
import { formatDuration } from '../lib/duration.ts';
import { SteadyClock } from '../lib/steadyClock.ts';
import type { Guard, Pause } from '../types/app.ts';
import type { Micros, Millis } from '../types/ids.ts';

/** An execution was aborted; none of its writes remain. */
export class ExecutionAborted extends Error {
  override readonly name = 'ExecutionAborted';
}

export interface GuardOptions {
  /** The host's clock. Waiting counts as execution time too. No time passes while the clock is set back. */
  readonly now: () => Micros;
  /** Lets the rest of the node run. */
  readonly pause: Pause;
  /** Maximum time of one request; 0 means no limit (geth's --rpc.evmtimeout). */
  readonly timeoutMs: Millis;
}

export type GuardFactory = () => Guard;

export const DEFAULT_EVM_TIMEOUT_MS = 5_000;
/** Ticks between two reads of the clock: a few microseconds of code. */
const TICKS_PER_LOOK = 64;
/** Longest time without a pause. */
const SLICE_MICROS = 5_000;

/** Pauses every few milliseconds, so that consensus can proceed, and aborts after the timeout. */
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
    return this.#ticks % TICKS_PER_LOOK === 0 ? this.look() : undefined;
  }

  look(): Promise<void> | undefined {
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
