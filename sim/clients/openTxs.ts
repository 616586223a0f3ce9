import type { DevAccount } from '../cluster.ts';

/** What a client has sent and does not know the end of, in the order in which it was sent. */
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

  /** As it is now. */
  all(): readonly T[] {
    this.#all = this.#all.filter(this.#isOpen);
    return [...this.#all];
  }

  /** Of one account, as it is now. */
  of(account: DevAccount): readonly T[] {
    const own = (this.#of.get(account) ?? []).filter(this.#isOpen);
    this.#of.set(account, own);
    return [...own];
  }
}
