/** What a client has sent and does not know the end of, in the order in which it was sent. */
export class OpenTxs<T> {
  readonly #isOpen: (tx: T) => boolean;
  #txs: T[] = [];

  constructor(isOpen: (tx: T) => boolean) {
    this.#isOpen = isOpen;
  }

  add(tx: T): void {
    this.#txs.push(tx);
  }

  /** Those that meet the condition, as it is now. */
  which(isMeant: (tx: T) => boolean): readonly T[] {
    this.#txs = this.#txs.filter(this.#isOpen);
    return this.#txs.filter(isMeant);
  }
}
