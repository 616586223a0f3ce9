/** What somebody who fetches blocks and one peer have said to each other since they are connected. */
export interface Supplier {
  /** It has kept us waiting once: what it was asked may be asked of others. */
  readonly isLagging: boolean;
}

interface Fetch<S extends Supplier> {
  readonly of: S;
  /** Nobody else was asked for it, or can answer any more. */
  isAlone: boolean;
  isAnswered: boolean;
}

/** Two heights that are asked for anew, the lower one of `of`. */
interface Dispute<S extends Supplier> {
  readonly height: number;
  readonly of: S;
  /** Who answered at first. */
  readonly answered: readonly S[];
}

/**
 * Who was asked for which block. A node that asks anew for the next height and for the one above, though two peers that are still there have
 * answered, holds that their blocks contradict each other: it asks one and the same peer for both, for otherwise nobody ever learns who
 * lied. Nothing is said once that peer has gone, is late or has no such block, or where more than one may have answered.
 */
export class Fetches<S extends Supplier> {
  readonly #isThere: (one: S) => boolean;
  readonly #fetches = new Map<number, Fetch<S>>();
  #dispute: Dispute<S> | undefined;
  /** Said of those who were there when it was; whoever is dropped at the same time sends nothing that counts. */
  #suspicion: { readonly text: string; readonly involved: readonly S[] } | undefined;

  constructor(isThere: (one: S) => boolean) {
    this.#isThere = isThere;
  }

  /** `next` is the lowest height that the asker does not have; `isTimely`: nothing makes it wait with what it has decided. */
  asked(
    height: number,
    of: S,
    { next, isTimely }: { readonly next: number; readonly isTimely: boolean },
  ): void {
    const [before, above] = [this.#fetches.get(height), this.#fetches.get(height + 1)];
    const dispute = this.#dispute;
    const isSecond = dispute !== undefined && height === dispute.height + 1;
    const isFirst =
      height === next && this.#isHeld(before) && this.#isHeld(above) && before?.of !== above?.of;
    const isAlone = before === undefined || (before.isAlone && !this.#isThere(before.of));
    this.#fetches.set(height, { of, isAlone: isAlone || isFirst || isSecond, isAnswered: false });
    if (isFirst && before !== undefined && above !== undefined)
      this.#dispute = { height, of, answered: [before.of, above.of] };
    if (!isSecond) return;
    this.#dispute = undefined;
    if (isTimely && of !== dispute.of && !dispute.of.isLagging)
      this.#suspicion = {
        text: `asks two peers for blocks ${height - 1} and ${height}, after two that contradicted each other`,
        involved: [dispute.of, ...dispute.answered],
      };
  }

  answered(height: number, by: S): void {
    const fetch = this.#fetches.get(height);
    if (fetch === undefined) return;
    fetch.isAnswered = true;
    if (fetch.of !== by) fetch.isAlone = false;
  }

  /** Who was asked for it last, while nobody has sent it since. */
  awaited(height: number): S | undefined {
    const fetch = this.#fetches.get(height);
    return fetch?.isAnswered === false ? fetch.of : undefined;
  }

  denied(by: S): void {
    if (this.#dispute?.of === by) this.#dispute = undefined;
  }

  /** At the end of an event. */
  problem(): string | undefined {
    const suspicion = this.#suspicion;
    this.#suspicion = undefined;
    return suspicion?.involved.every((one) => this.#isThere(one)) === true ? suspicion.text : undefined;
  }

  #isHeld(fetch: Fetch<S> | undefined): boolean {
    return fetch?.isAlone === true && fetch.isAnswered && !fetch.of.isLagging && this.#isThere(fetch.of);
  }
}
