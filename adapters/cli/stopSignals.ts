/** Signals that ask a process to stop. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** npm, timeout and others forward a signal that the whole process group has already received. */
const SAME_ASK_MS = 1_000;

export interface StopSignalsOptions {
  /** Called once, at the first signal. */
  readonly stop: () => void;
  /** Called for each later signal, except for a duplicate of the first. */
  readonly hurry: () => void;
  readonly now?: () => number;
}

/** The first signal asks for a stop; a later one means that the user does not want to wait. */
export class StopSignals {
  readonly #options: Required<StopSignalsOptions>;
  #askedAt: number | undefined;

  constructor(options: StopSignalsOptions) {
    this.#options = { now: () => performance.now(), ...options };
  }

  get isAsked(): boolean {
    return this.#askedAt !== undefined;
  }

  /** Acts as if a signal had arrived. */
  readonly ask = (): void => {
    const { stop, hurry, now } = this.#options;
    if (this.#askedAt === undefined) {
      this.#askedAt = now();
      stop();
    } else if (now() - this.#askedAt >= SAME_ASK_MS) hurry();
  };

  listen(): void {
    for (const signal of SIGNALS) process.on(signal, this.ask);
  }

  unlisten(): void {
    for (const signal of SIGNALS) process.off(signal, this.ask);
  }
}
