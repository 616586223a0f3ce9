/**
 * Runs the tasks of one name one after another (geth's AddrLocker). Requests run side by side: two that choose the next nonce of
 * an account must not both look before either is in the pool.
 */
export class Turns {
  readonly #last = new Map<string, Promise<void>>();

  async run<T>(name: string, task: () => Promise<T>): Promise<T> {
    const done = (this.#last.get(name) ?? Promise.resolve()).then(task);
    // Whoever is next does not care how it went.
    const over = done.then(
      () => {},
      () => {},
    );
    this.#last.set(name, over);
    try {
      return await done;
    } finally {
      if (this.#last.get(name) === over) this.#last.delete(name);
    }
  }
}
