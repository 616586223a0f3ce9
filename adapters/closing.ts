/**
 * What is open, closed in the reverse order of its opening, one after another and once, however many ask. A part that
 * cannot be closed does not keep those below it open: they hold what is not yet on disk.
 */
export class Closing {
  readonly #parts: (() => Promise<void>)[] = [];
  #closed: Promise<void> | undefined;

  add(close: () => Promise<void>): void {
    this.#parts.unshift(close);
  }

  /** Rejects, when all have been tried, with what the first one threw that could not be closed. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    const failures: unknown[] = [];
    for (const close of this.#parts) {
      try {
        await close();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}
