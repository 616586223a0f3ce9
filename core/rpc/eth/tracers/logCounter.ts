import type { FrameEnd, TraceHooks } from '../../../types/trace.ts';

/** Numbers a block's logs as they are written. Numbers of logs of a failed call are reused. */
export class LogCounter implements TraceHooks {
  #next: number;
  /** For each open call, the next number when it began. */
  readonly #begun: number[] = [];

  constructor(first: number) {
    this.#next = first;
  }

  enter(): void {
    this.#begun.push(this.#next);
  }

  /** The number of the log that is being written. */
  take(): number {
    return this.#next++;
  }

  exit({ error }: FrameEnd): void {
    const begun = this.#begun.pop();
    if (error !== undefined && begun !== undefined) this.#next = begun;
  }
}
