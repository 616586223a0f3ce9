import { equalBytes } from '../lib/bytes.ts';
import type { Commit } from '../types/block.ts';
import type { Address } from '../types/ids.ts';
import { findByAddress, type ValidatorSet } from '../types/validator.ts';

interface Place<T> {
  readonly among: T;
  readonly index: number;
}

/**
 * Finds one validator's index in a set or a commit. Gossip asks this for every peer, so the last answers are cached.
 */
export class Author {
  readonly address: Address;
  /** The last two sets asked for: votes are of this height and of the one before. */
  #newer: Place<ValidatorSet> | undefined;
  #older: Place<ValidatorSet> | undefined;
  #signed: Place<Commit> | undefined;

  constructor(address: Address) {
    this.address = address;
  }

  /** Its index in `set`; -1 if it is not a member. */
  placeIn(set: ValidatorSet): number {
    if (this.#newer?.among === set) return this.#newer.index;
    if (this.#older?.among === set) return this.#older.index;
    const index = findByAddress(set, this.address)?.index ?? -1;
    this.#older = this.#newer;
    this.#newer = { among: set, index };
    return index;
  }

  /** The index of its signature in `commit`; -1 if it has not signed. */
  placeInCommit(commit: Commit): number {
    if (this.#signed?.among !== commit) {
      const isOurs = ({ validatorAddress }: Commit['signatures'][number]): boolean =>
        equalBytes(validatorAddress, this.address);
      this.#signed = { among: commit, index: commit.signatures.findIndex(isOurs) };
    }
    return this.#signed.index;
  }
}
