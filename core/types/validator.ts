import { type Bytes, equalBytes } from '../lib/bytes.ts';
import type { Address } from './ids.ts';

export interface PublicKey {
  /** ed25519: 32 bytes; secp256k1: 33 bytes. */
  readonly type: 'ed25519' | 'secp256k1';
  readonly bytes: Bytes;
}

export interface Validator {
  readonly address: Address;
  readonly pubKey: PublicKey;
  readonly power: bigint;
  /** int64; see consensus/priority. */
  readonly priority: bigint;
}

/** Ordered by power descending, then by address ascending. Immutable: a change makes a new set. */
export interface ValidatorSet {
  readonly validators: readonly Validator[];
  readonly totalPower: bigint;
  /** Proposer of round 0 of the height this set is for, as left by the last priority increment. */
  readonly proposer: Validator;
}

export interface FoundValidator {
  readonly index: number;
  readonly validator: Validator;
}

export function findByAddress(set: ValidatorSet, address: Address): FoundValidator | undefined {
  for (let index = 0; index < set.validators.length; index++) {
    const validator = set.validators[index] as Validator;
    if (equalBytes(validator.address, address)) return { index, validator };
  }
  return undefined;
}

/** An update from the application. Power 0 removes the validator. */
export interface ValidatorUpdate {
  readonly pubKey: PublicKey;
  readonly power: bigint;
}
