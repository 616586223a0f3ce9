import { equalBytes } from '../lib/bytes.ts';
import type { Address } from '../types/ids.ts';
import type { ValidatorSet } from '../types/validator.ts';

/** One validator, whose words alone are asked for. Asked of each peer: a set is searched once. */
export class Author {
  readonly address: Address;
  readonly #places = new WeakMap<ValidatorSet, number>();

  constructor(address: Address) {
    this.address = address;
  }

  /** Its index; -1 when it is none of them. */
  placeIn(set: ValidatorSet): number {
    const known = this.#places.get(set);
    if (known !== undefined) return known;
    const place = set.validators.findIndex(({ address }) => equalBytes(address, this.address));
    this.#places.set(set, place);
    return place;
  }
}
