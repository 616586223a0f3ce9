/** What a node that fetches blocks knows of one peer since they are connected. */
export interface Supplier {
  /** The peer was late once, so its requests may be given to other peers. */
  readonly isLagging: boolean;
}

interface Fetch<S extends Supplier> {
  readonly of: S;
  /** No other peer was asked for the block or can still answer. */
  isAlone: boolean;
  isAnswered: boolean;
}

/** A height that the node requests again together with the next one; `of` is the peer asked for the lower one. */
interface Dispute<S extends Supplier> {
  readonly height: number;
  readonly of: S;
  /** The two peers that answered first. */
  readonly answered: readonly S[];
}

/**
 * Which peer was asked for which block. If a node requests the next height and the one above again although two
 * connected peers have answered, it holds that the two blocks contradict each other. It must then ask one and the same
 * peer for both, because otherwise it can never tell which peer lied. Excused: that peer is gone, late or has no such
 * block, or more than one peer may have answered.
 */
export class RequestedBlocks<S extends Supplier> {
  readonly #isThere: (one: S) => boolean;
  readonly #fetches = new Map<number, Fetch<S>>();
  #dispute: Dispute<S> | undefined;
  /** Counts only if all involved peers are still connected at the end of the event. */
  #suspicion: { readonly text: string; readonly involved: readonly S[] } | undefined;

  constructor(isThere: (one: S) => boolean) {
    this.#isThere = isThere;
  }

  /**
   * `next` is the lowest height that the node lacks. `isTimely` means that nothing delays what the node has decided to
   * send.
   */
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

  /** The peer that was asked last, unless the block has come since. */
  awaited(height: number): S | undefined {
    const fetch = this.#fetches.get(height);
    return fetch?.isAnswered === false ? fetch.of : undefined;
  }

  denied(by: S): void {
    if (this.#dispute?.of === by) this.#dispute = undefined;
  }

  /** To be called at the end of an event. */
  problem(): string | undefined {
    const suspicion = this.#suspicion;
    this.#suspicion = undefined;
    return suspicion?.involved.every((one) => this.#isThere(one)) === true ? suspicion.text : undefined;
  }

  #isHeld(fetch: Fetch<S> | undefined): boolean {
    return fetch?.isAlone === true && fetch.isAnswered && !fetch.of.isLagging && this.#isThere(fetch.of);
  }
}
