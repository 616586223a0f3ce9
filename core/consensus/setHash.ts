import { validatorsHash } from '../codec/hashes.ts';
import type { Hash } from '../types/ids.ts';
import type { ValidatorSet } from '../types/validator.ts';

// The hash covers keys and powers, not priorities: every turn of the rotation would compute the same one again.
const hashes = new WeakMap<ValidatorSet, Hash>();

/** ValidatorsHash of a set, computed once for it and the sets that `inheritHash` derived from it. */
export function hashOfSet(set: ValidatorSet): Hash {
  const known = hashes.get(set);
  if (known !== undefined) return known;
  const hash = validatorsHash(set);
  hashes.set(set, hash);
  return hash;
}

/** Marks `next` as having the members, powers and order of `previous`. */
export function inheritHash(next: ValidatorSet, previous: ValidatorSet): ValidatorSet {
  const known = hashes.get(previous);
  if (known !== undefined) hashes.set(next, known);
  return next;
}
