import type { Process } from '../machine/process.ts';

/** A process that was stopped in this life of it, and when it is to start again. */
interface Downtime {
  readonly life: number;
  readonly until: number;
}

/** How long processes stay down. Downtimes that overlap end with the last one, and a start in between ends them all. */
export class Downtimes {
  readonly #last = new Map<Process, Downtime>();

  /**
   * Keeps a process that is down from starting before `until`.
   * @returns Whether it is down for longer by that.
   */
  prolong(process: Process, until: number): boolean {
    const before = this.#of(process)?.until ?? 0;
    this.#last.set(process, { life: process.lives, until: Math.max(before, until) });
    return until > before;
  }

  /** Whether the process is down and no other action keeps it so: the time has come to start it. */
  isOver(process: Process, now: number): boolean {
    const last = this.#of(process);
    return last !== undefined && now >= last.until;
  }

  /** Whether the process is down, but not for good. */
  isReturning(process: Process): boolean {
    return Number.isFinite(this.#of(process)?.until);
  }

  /** Forgets that the process is down for good: whoever services it starts it. */
  service(process: Process): void {
    if (!this.isReturning(process)) this.#last.delete(process);
  }

  #of(process: Process): Downtime | undefined {
    const last = this.#last.get(process);
    return last?.life === process.lives ? last : undefined;
  }
}
