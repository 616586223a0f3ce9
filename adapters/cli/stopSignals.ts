/** Signals that ask a process to stop. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** npm, timeout and others pass on what the terminal or they themselves have sent to all of the group as well. */
const SAME_ASK_MS = 1_000;

export interface StopSignalsOptions {
  /** Once, at the first signal. */
  readonly stop: () => void;
  /** At each further one that is not the first delivered twice. */
  readonly hurry: () => void;
  readonly now?: () => number;
}

/** The first signal asks to stop; whoever asks again, later, does not want to wait. */
export class StopSignals {
  readonly #options: Required<StopSignalsOptions>;
  #askedAt: number | undefined;

  constructor(options: StopSignalsOptions) {
    this.#options = { now: () => performance.now(), ...options };
  }

  get isAsked(): boolean {
    return this.#askedAt !== undefined;
  }

  /** As a signal does. */
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
