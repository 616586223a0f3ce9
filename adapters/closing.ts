/**
 * Closes everything open in reverse order of opening, one after another, and only once even if several callers ask. A
 * part that fails to close does not keep the earlier ones open: those may still have to write data to disk.
 */
export class Closing {
  readonly #parts: (() => Promise<void>)[] = [];
  #closed: Promise<void> | undefined;

  add(close: () => Promise<void>): void {
    this.#parts.unshift(close);
  }

  /** Tries to close every part; then rejects with the first error, if any. */
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
