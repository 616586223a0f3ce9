import type { DevAccount } from '../cluster.ts';

/** The transactions of a client whose outcome it does not know, in the order in which they were sent. */
export class OpenTxs<T extends { readonly from: DevAccount }> {
  readonly #isOpen: (tx: T) => boolean;
  #all: T[] = [];
  readonly #of = new Map<DevAccount, T[]>();

  constructor(isOpen: (tx: T) => boolean) {
    this.#isOpen = isOpen;
  }

  add(tx: T): void {
    this.#all.push(tx);
    const own = this.#of.get(tx.from);
    if (own === undefined) this.#of.set(tx.from, [tx]);
    else own.push(tx);
  }

  /** Transactions that are open now. */
  all(): readonly T[] {
    this.#all = this.#all.filter(this.#isOpen);
    return [...this.#all];
  }

  /** Transactions of one account that are open now. */
  of(account: DevAccount): readonly T[] {
    const own = (this.#of.get(account) ?? []).filter(this.#isOpen);
    this.#of.set(account, own);
    return [...own];
  }
}
