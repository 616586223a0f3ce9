import { equalBytes } from '../lib/bytes.ts';
import type { Commit } from '../types/block.ts';
import type { Address } from '../types/ids.ts';
import type { ValidatorSet } from '../types/validator.ts';

interface Place<T> {
  readonly among: T;
  readonly index: number;
}

/** One validator, whose words alone are asked for. Asked of each peer: a set is searched once. */
export class Author {
  readonly address: Address;
  /** Of the sets asked for last: votes are of this height and of the one before. */
  #newer: Place<ValidatorSet> | undefined;
  #older: Place<ValidatorSet> | undefined;
  #signed: Place<Commit> | undefined;

  constructor(address: Address) {
    this.address = address;
  }

  /** Its index; -1 when it is none of them. */
  placeIn(set: ValidatorSet): number {
    if (this.#newer?.among === set) return this.#newer.index;
    if (this.#older?.among === set) return this.#older.index;
    const index = set.validators.findIndex(({ address }) => equalBytes(address, this.address));
    this.#older = this.#newer;
    this.#newer = { among: set, index };
    return index;
  }

  /** The index of its signature; -1 when it is absent. */
  placeInCommit(commit: Commit): number {
    if (this.#signed?.among !== commit) {
      const isOurs = ({ validatorAddress }: Commit['signatures'][number]): boolean =>
        equalBytes(validatorAddress, this.address);
      this.#signed = { among: commit, index: commit.signatures.findIndex(isOurs) };
    }
    return this.#signed.index;
  }
}
