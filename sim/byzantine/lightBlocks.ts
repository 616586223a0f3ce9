import { headerHash, validatorsHash } from '../../core/codec/hashes.ts';
import { makeValidatorSet } from '../../core/consensus/priority.ts';
import { assert, present } from '../../core/lib/assert.ts';
import { compareBytes, equalBytes } from '../../core/lib/bytes.ts';
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
import { type Accomplice, UNSIGNED } from './behaviour.ts';
import { ABSENT } from './blocks.ts';

/** What the chain has at the height of a lie, and who lies about whom. */
export interface Ground {
  readonly me: Accomplice;
  readonly victim: Address | undefined;
  /** Key in DERIVED of the header field that is false. */
  readonly field: string;
  readonly header: Header;
  readonly validators: ValidatorSet;
  /** The validators of the header that the client trusts. */
  readonly trusted: ValidatorSet;
  /** The commit of the chain's own block; empty where the lie does not need it. */
  readonly commit: Commit;
}

/** Header fields that follow from earlier blocks, by their word in a scenario. A lie makes one of them false. */
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

const flipped = (bytes: Uint8Array): Uint8Array => bytes.map((byte) => byte ^ 1);

/**
 * A header with a false field. Its validatorsHash always fits the shown set: with `validators` only the set is false.
 */
export function falseState({ header, field }: Ground, validators: ValidatorSet): Header {
  const name = present(DERIVED.get(field), 'a field that follows from the blocks before');
  return { ...header, [name]: flipped(header[name]), validatorsHash: validatorsHash(validators) };
}

/** A header that the real validators could have produced: only its transactions differ. */
export const otherTransactions = ({ header }: Ground): Header => ({
  ...header,
  dataHash: flipped(header.dataHash),
});

export const isVictim = ({ victim }: Ground, one: Validator): boolean =>
  victim !== undefined && equalBytes(one.address, victim);

export const liar = ({ me }: Ground, { address }: Validator): Accomplice | undefined =>
  me.coalition.members.find((member) => equalBytes(member.address, address));

const isLiar = (ground: Ground, one: Validator): boolean => liar(ground, one) !== undefined;

/** The liars among the trusted validators. */
export const liars = (ground: Ground): readonly Validator[] =>
  ground.trusted.validators.filter((one) => isLiar(ground, one));

export const liarsAndVictim = (ground: Ground): readonly Validator[] =>
  ground.trusted.validators.filter((one) => isLiar(ground, one) || isVictim(ground, one));

export function setOf(validators: readonly Validator[]): ValidatorSet {
  const made = makeValidatorSet(validators.map(({ pubKey, power, address }) => ({ pubKey, power, address })));
  assert(made.ok, 'somebody is in the set');
  return made.value;
}

/** The set with its first validator repeated at the end. */
export function withRepeated(set: ValidatorSet): ValidatorSet {
  const first = present(set.validators[0], 'a set has somebody');
  return { ...set, validators: [...set.validators, first], totalPower: set.totalPower + first.power };
}

/** The victim and a liar swap addresses. The hash of a validator set does not cover addresses. */
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

/** A set in which the victim has the key of a liar. */
export function withKeyOfLiar(ground: Ground): ValidatorSet {
  const pubKey = liars(ground)[0]?.pubKey;
  return setOf(
    liarsAndVictim(ground).map((one) =>
      isLiar(ground, one) || pubKey === undefined ? one : { ...one, pubKey },
    ),
  );
}

/** A set of the liars alone with powers they chose themselves: each next liar adds one more to its power. */
export const withOtherPowers = (ground: Ground): ValidatorSet =>
  setOf(liars(ground).map((one, i) => ({ ...one, power: one.power + BigInt(i) })));

/** Whose key signs in a validator's slot. `forged` fills it with an invalid signature; undefined leaves it absent. */
export type Signs = (ground: Ground, one: Validator, index: number) => Accomplice | 'forged' | undefined;

/** The commit has one slot more than the set, and that slot is absent. */
export const withEmptyPlace = ({ commit, ...shown }: LightBlock): LightBlock => ({
  ...shown,
  commit: { ...commit, signatures: [...commit.signatures, ABSENT] },
});

/** The victim, who is one of the liars, precommits nil in its slot of the commit. */
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

/**
 * A commit for the header. `signs` chooses the signer of each slot; the round is `later` rounds after the chain's
 * commit.
 */
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

/** The validators of a set that signed the block of a commit. */
export const signersOf = (set: ValidatorSet, { signatures }: Commit): readonly Validator[] =>
  set.validators.filter(({ address }) =>
    signatures.some(
      ({ flag, validatorAddress }) => flag === 'commit' && equalBytes(validatorAddress, address),
    ),
  );

/** The validators whose slots have a signature for the block in both commits, in the order that evidence requires. */
export const signersOfBoth = ({ validators }: ValidatorSet, a: Commit, b: Commit): readonly Validator[] =>
  validators
    .filter((_, i) => a.signatures[i]?.flag === 'commit' && b.signatures[i]?.flag === 'commit')
    .sort((one, other) => compareBytes(one.address, other.address))
    .sort((one, other) => Number(other.power - one.power));
