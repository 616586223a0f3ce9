import { equalBytes } from '../lib/bytes.ts';
import type { Commit } from '../types/block.ts';
import type { Address } from '../types/ids.ts';
import type { ValidatorSet } from '../types/validator.ts';

/** One validator, whose words alone are asked for. Asked of each peer: a set is searched once. */
export class Author {
  readonly address: Address;
  readonly #places = new WeakMap<ValidatorSet | Commit, number>();
  #last: { readonly set: ValidatorSet; readonly place: number } | undefined;

  constructor(address: Address) {
    this.address = address;
  }

  /** Its index; -1 when it is none of them. */
  placeIn(set: ValidatorSet): number {
    if (this.#last?.set === set) return this.#last.place;
    const known = this.#places.get(set);
    const place = known ?? set.validators.findIndex(({ address }) => equalBytes(address, this.address));
    if (known === undefined) this.#places.set(set, place);
    this.#last = { set, place };
    return place;
  }

  /** The index of its signature; -1 when it is absent. */
  placeInCommit(commit: Commit): number {
    const known = this.#places.get(commit);
    if (known !== undefined) return known;
    const place = commit.signatures.findIndex(({ validatorAddress }) =>
      equalBytes(validatorAddress, this.address),
    );
    this.#places.set(commit, place);
    return place;
  }
}
