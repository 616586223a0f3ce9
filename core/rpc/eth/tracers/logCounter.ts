import type { FrameEnd, TraceHooks } from '../../../types/trace.ts';

/** Numbers the logs of a block as they are written; what a failed call wrote is counted no more. */
export class LogCounter implements TraceHooks {
  #next: number;
  /** Of each open call, what was next when it began. */
  readonly #begun: number[] = [];

  constructor(first: number) {
    this.#next = first;
  }

  enter(): void {
    this.#begun.push(this.#next);
  }

  /** The number of a log that is written now. */
  take(): number {
    return this.#next++;
  }

  exit({ error }: FrameEnd): void {
    const begun = this.#begun.pop();
    if (error !== undefined && begun !== undefined) this.#next = begun;
  }
}
