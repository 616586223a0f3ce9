/**
 * Runs tasks with the same name one after another (geth's AddrLocker). Requests run concurrently: two that choose the
 * next nonce of an account must not both read it before one of them is in the pool.
 */
export class Turns {
  readonly #last = new Map<string, Promise<void>>();

  async run<T>(name: string, task: () => Promise<T>): Promise<T> {
    const done = (this.#last.get(name) ?? Promise.resolve()).then(task);
    // The next task starts whether this one succeeds or fails.
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
