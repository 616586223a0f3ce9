import { headerHash, validatorsHash } from '../../core/codec/hashes.ts';
import { makeValidatorSet } from '../../core/consensus/priority.ts';
import { assert, present } from '../../core/lib/assert.ts';
import { compareBytes, EMPTY, equalBytes } from '../../core/lib/bytes.ts';
import {
  type BlockId,
  type Commit,
  type CommitSig,
  type Header,
  ZERO_BLOCK_ID,
} from '../../core/types/block.ts';
import type { LightBlock } from '../../core/types/evidence.ts';
import type { Address } from '../../core/types/ids.ts';
import type { Validator, ValidatorSet } from '../../core/types/validator.ts';
import type { Accomplice } from './behaviour.ts';
import { ABSENT } from './blocks.ts';

/** What the chain has at the height of a lie, and who lies about whom. */
export interface Ground {
  readonly me: Accomplice;
  readonly victim: Address | undefined;
  /** Which of DERIVED is false. */
  readonly field: string;
  readonly header: Header;
  readonly validators: ValidatorSet;
  /** Of the header that the client trusts. */
  readonly trusted: ValidatorSet;
  /** For the block of the chain; empty where the lie does not need it. */
  readonly commit: Commit;
}

/** What follows from the blocks before, by the word for it: one of them is false. */
export const DERIVED = new Map<
  string,
  'appHash' | 'lastResultsHash' | 'consensusHash' | 'nextValidatorsHash' | 'validatorsHash'
>([
  ['app_hash', 'appHash'],
  ['results', 'lastResultsHash'],
  ['consensus', 'consensusHash'],
  ['next_validators', 'nextValidatorsHash'],
  ['validators', 'validatorsHash'],
]);

const UNSIGNED = { signature: new Uint8Array(64), extension: EMPTY, extensionSignature: EMPTY };

const flipped = (bytes: Uint8Array): Uint8Array => bytes.map((byte) => byte ^ 1);

/** A state that never was; the set is always that which is shown, so that alone makes `validators` false. */
export function falseState({ header, field }: Ground, validators: ValidatorSet): Header {
  const name = present(DERIVED.get(field), 'a field that follows from the blocks before');
  return { ...header, [name]: flipped(header[name]), validatorsHash: validatorsHash(validators) };
}

/** A block that all validators might have made: only its transactions are others. */
export const otherTransactions = ({ header }: Ground): Header => ({
  ...header,
  dataHash: flipped(header.dataHash),
});

export const isVictim = ({ victim }: Ground, one: Validator): boolean =>
  victim !== undefined && equalBytes(one.address, victim);

export const liar = ({ me }: Ground, { address }: Validator): Accomplice | undefined =>
  me.coalition.members.find((member) => equalBytes(member.address, address));

const isLiar = (ground: Ground, one: Validator): boolean => liar(ground, one) !== undefined;

/** Those trusted who lie, by themselves. */
export const liars = (ground: Ground): readonly Validator[] =>
  ground.trusted.validators.filter((one) => isLiar(ground, one));

export const liarsAndVictim = (ground: Ground): readonly Validator[] =>
  ground.trusted.validators.filter((one) => isLiar(ground, one) || isVictim(ground, one));

export function setOf(validators: readonly Validator[]): ValidatorSet {
  const made = makeValidatorSet(validators.map(({ pubKey, power, address }) => ({ pubKey, power, address })));
  assert(made.ok, 'somebody is in the set');
  return made.value;
}

/** The first of the set once more, at the end. */
export function withRepeated(set: ValidatorSet): ValidatorSet {
  const first = present(set.validators[0], 'a set has somebody');
  return { ...set, validators: [...set.validators, first], totalPower: set.totalPower + first.power };
}

/** The victim and a liar have each other's address; no hash of the set covers addresses. */
export function relabelled(ground: Ground): ValidatorSet {
  const { validators } = ground.validators;
  const theirs = validators.find((one) => isVictim(ground, one));
  const own = validators.find((one) => isLiar(ground, one));
  if (theirs === undefined || own === undefined) return ground.validators;
  const named = (one: Validator): Validator => {
    if (one === theirs) return { ...one, address: own.address };
    return one === own ? { ...one, address: theirs.address } : one;
  };
  return { ...ground.validators, validators: validators.map(named) };
}

/** The victim has the key of a liar. */
export function withKeyOfLiar(ground: Ground): ValidatorSet {
  const pubKey = liars(ground)[0]?.pubKey;
  return setOf(
    liarsAndVictim(ground).map((one) =>
      isLiar(ground, one) || pubKey === undefined ? one : { ...one, pubKey },
    ),
  );
}

/** The liars alone, with powers that they have given themselves: each next one more. */
export const withOtherPowers = (ground: Ground): ValidatorSet =>
  setOf(liars(ground).map((one, i) => ({ ...one, power: one.power + BigInt(i) })));

/** Whose key signs in a validator's place; `forged` is a signature that is none, undefined leaves the place empty. */
export type Signs = (ground: Ground, one: Validator, index: number) => Accomplice | 'forged' | undefined;

/** The commit has one place more than the set, and nobody signs there. */
export const withEmptyPlace = ({ commit, ...shown }: LightBlock): LightBlock => ({
  ...shown,
  commit: { ...commit, signatures: [...commit.signatures, ABSENT] },
});

/** The victim, who is one of the liars, signs nil in its place of the commit. */
export function withNil(ground: Ground, { commit, ...shown }: LightBlock): LightBlock {
  const { height, round } = commit;
  const signatures = shown.validators.validators.map((one, validatorIndex): CommitSig => {
    const sig = present(commit.signatures[validatorIndex], 'a place for everybody');
    const signer = isVictim(ground, one) ? liar(ground, one) : undefined;
    if (signer === undefined || sig.flag === 'absent') return sig;
    const { timestamp, validatorAddress } = sig;
    const at = { type: 'precommit', height, round, blockId: ZERO_BLOCK_ID, timestamp } as const;
    const vote = { ...at, validatorAddress, validatorIndex, ...UNSIGNED };
    return { ...sig, flag: 'nil', signature: signer.signVote(vote).signature };
  });
  return { ...shown, commit: { ...commit, signatures } };
}

/** A commit for the header by those who sign in the places of the set, so many rounds later than that of the chain. */
export function commitFor(
  ground: Ground,
  header: Header,
  { validators }: ValidatorSet,
  signs: Signs,
  later: number,
): Commit {
  const { height, time } = header;
  const round = ground.commit.round + later;
  const blockId: BlockId = {
    hash: headerHash(header),
    parts: { total: 1, hash: new Uint8Array(32).fill(1) },
  };
  const at = { type: 'precommit', height, round, blockId, timestamp: time } as const;
  const signatures = validators.map((one, validatorIndex): CommitSig => {
    const { address: validatorAddress } = one;
    const signer = signs(ground, one, validatorIndex);
    if (signer === undefined) return ABSENT;
    const vote = { ...at, ...UNSIGNED, validatorAddress, validatorIndex };
    const { signature } = signer === 'forged' ? vote : signer.signVote(vote);
    return { flag: 'commit', validatorAddress, timestamp: time, signature };
  });
  return { height, round, blockId, signatures };
}

/** Of a set, those who have signed the block of a commit. */
export const signersOf = (set: ValidatorSet, { signatures }: Commit): readonly Validator[] =>
  set.validators.filter(({ address }) =>
    signatures.some(
      ({ flag, validatorAddress }) => flag === 'commit' && equalBytes(validatorAddress, address),
    ),
  );

/** Of a set, those in whose places both commits have a signature for their block, as evidence has them in order. */
export const signersOfBoth = ({ validators }: ValidatorSet, a: Commit, b: Commit): readonly Validator[] =>
  validators
    .filter((_, i) => a.signatures[i]?.flag === 'commit' && b.signatures[i]?.flag === 'commit')
    .sort((one, other) => compareBytes(one.address, other.address))
    .sort((one, other) => Number(other.power - one.power));
