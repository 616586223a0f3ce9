import { validatorsHash } from '../codec/hashes.ts';
import type { Hash } from '../types/ids.ts';
import type { ValidatorSet } from '../types/validator.ts';

// The hash covers keys and powers but not priorities, so a turn of the rotation does not change it.
const hashes = new WeakMap<ValidatorSet, Hash>();

/** ValidatorsHash of a set, computed once for it and the sets that `inheritHash` derived from it. */
export function hashOfSet(set: ValidatorSet): Hash {
  const known = hashes.get(set);
  if (known !== undefined) return known;
  const hash = validatorsHash(set);
  hashes.set(set, hash);
  return hash;
}

/** Marks `next` as having the same members, powers and order as `previous`. */
export function inheritHash(next: ValidatorSet, previous: ValidatorSet): ValidatorSet {
  const known = hashes.get(previous);
  if (known !== undefined) hashes.set(next, known);
  return next;
}
