/**
 * Light client attacks (CometBFT's light/detector.go): a light client was shown a block that is not on the chain,
 * signed by enough validators to be believed.
 */
import { headerHash } from '../codec/hashes.ts';
import { validatorAddress } from '../crypto/addresses.ts';
import { compareBytes, equalBytes } from '../lib/bytes.ts';
import { err, ok, type Result } from '../lib/result.ts';
import type { BlockId, Commit, Header } from '../types/block.ts';
import type { LightClientAttackEvidence } from '../types/evidence.ts';
import { compareTime, type Height } from '../types/ids.ts';
import type { ChainState } from '../types/state.ts';
import type { PublicKey, Validator, ValidatorSet } from '../types/validator.ts';
import type { EvidenceError } from './verify.ts';

/** The commit rules of consensus. Evidence applies them without depending on consensus. All are pure functions. */
export interface CommitRules {
  /** Whether every signature for the block is good, and more than two thirds of `validators` gave one. */
  isDecided(
    chainId: string,
    validators: ValidatorSet,
    blockId: BlockId,
    height: Height,
    commit: Commit,
  ): Result<void, string>;
  /** Whether every signature of a member of `validators` is good, and more than a third of them gave one. */
  isTrusted(chainId: string, validators: ValidatorSet, commit: Commit): Result<void, string>;
}

export interface AttackFacts {
  headerAt(height: Height): Header | undefined;
  /** The commit carried by the next block, which is the same on every node. */
  commitAt(height: Height): Commit | undefined;
  readonly commits: CommitRules;
}

const invalid = (message: string): Result<never, EvidenceError> => err({ code: 'invalid-evidence', message });

/** The caller has done the basic checks and has checked age and timestamp. `common` is the set of the common height. */
export function verifyLightClientAttack(
  facts: AttackFacts,
  state: ChainState,
  common: ValidatorSet,
  evidence: LightClientAttackEvidence,
): Result<void, EvidenceError> {
  const { conflictingBlock, commonHeight } = evidence;
  const { header, commit, validators } = conflictingBlock;
  const trusted = trustedHeader(facts, state, header);
  if (!trusted.ok) return trusted;
  const isLunatic = isWronglyDerived(header, trusted.value);
  if (commonHeight === header.height) {
    if (isLunatic) return invalid('a header at the common height must be derived as ours is');
  } else {
    const trusts = facts.commits.isTrusted(state.chainId, common, commit);
    if (!trusts.ok) return invalid(`the common validators did not sign: ${trusts.error}`);
  }
  const decided = facts.commits.isDecided(state.chainId, validators, commit.blockId, header.height, commit);
  if (!decided.ok) return invalid(`the conflicting block was not decided: ${decided.error}`);
  if (evidence.totalVotingPower !== common.totalPower) return invalid('total voting power is wrong');
  if (equalBytes(headerHash(trusted.value), headerHash(header))) {
    return invalid('the conflicting header is that of the chain');
  }
  const guilty = guiltyOf(facts, evidence, common, trusted.value, isLunatic);
  return guilty.ok ? checkAccused(evidence.byzantineValidators, guilty.value) : guilty;
}

/** Our header at the conflicting height, or our newest if the conflicting block is ahead of us. */
function trustedHeader(
  facts: AttackFacts,
  state: ChainState,
  conflicting: Header,
): Result<Header, EvidenceError> {
  const { lastBlockHeight } = state;
  const height = conflicting.height < lastBlockHeight ? conflicting.height : lastBlockHeight;
  const header = facts.headerAt(height);
  if (header === undefined) {
    return err({ code: 'unknown-height', height, message: `no block ${height} to judge evidence by` });
  }
  // A later block with a later time cannot be judged yet. One whose time is not after ours violates the order of times.
  if (conflicting.height > height && compareTime(conflicting.time, header.time) > 0) {
    const message = `block ${conflicting.height} is not there yet to judge evidence by`;
    return err({ code: 'unknown-height', height: conflicting.height, message });
  }
  return ok(header);
}

/** A field that follows from earlier blocks differs from ours: no honest validator can have signed it. */
const isWronglyDerived = (conflicting: Header, trusted: Header): boolean =>
  !equalBytes(conflicting.validatorsHash, trusted.validatorsHash) ||
  !equalBytes(conflicting.nextValidatorsHash, trusted.nextValidatorsHash) ||
  !equalBytes(conflicting.consensusHash, trusted.consensusHash) ||
  !equalBytes(conflicting.appHash, trusted.appHash) ||
  !equalBytes(conflicting.lastResultsHash, trusted.lastResultsHash);

/** The validators that must have lied. After amnesia there are none: honest and forgetful voters look the same. */
function guiltyOf(
  facts: AttackFacts,
  evidence: LightClientAttackEvidence,
  common: ValidatorSet,
  trusted: Header,
  isLunatic: boolean,
): Result<readonly Validator[], EvidenceError> {
  const { commit, validators } = evidence.conflictingBlock;
  const member = (set: ValidatorSet, address: Uint8Array): readonly Validator[] =>
    set.validators.filter((one) => equalBytes(one.address, address));
  if (isLunatic) {
    const signed = commit.signatures.filter(({ flag }) => flag === 'commit');
    return ok(signed.flatMap((one) => member(common, one.validatorAddress)).sort(byPower));
  }
  const ours = facts.commitAt(trusted.height);
  if (ours === undefined) {
    const { height } = trusted;
    return err({ code: 'unknown-height', height, message: `no block ${height + 1} to judge evidence by` });
  }
  if (ours.round !== commit.round) return ok([]);
  const both = commit.signatures.filter(
    ({ flag }, i) => flag === 'commit' && ours.signatures[i]?.flag === 'commit',
  );
  const guilty = both.flatMap((one) => member(validators, one.validatorAddress)).sort(byPower);
  // A set's hash covers keys and powers but not addresses. Accept only addresses that follow from the keys.
  return guilty.every(({ address, pubKey }) => equalBytes(address, validatorAddress(pubKey)))
    ? ok(guilty)
    : invalid('a validator has an address that is not of its key');
}

/** CometBFT's ValidatorsByVotingPower. */
function byPower(a: Validator, b: Validator): number {
  if (a.power !== b.power) return a.power > b.power ? -1 : 1;
  return compareBytes(a.address, b.address);
}

function checkAccused(
  accused: readonly Validator[],
  guilty: readonly Validator[],
): Result<void, EvidenceError> {
  if (accused.length !== guilty.length) return invalid('other validators are accused than those who lied');
  for (const [i, one] of accused.entries()) {
    const other = guilty[i] as Validator;
    if (!equalBytes(one.address, other.address) || !sameKey(one.pubKey, other.pubKey)) {
      return invalid('other validators are accused than those who lied');
    }
    if (one.power !== other.power) return invalid('the power of an accused validator is wrong');
  }
  return ok(undefined);
}

const sameKey = (a: PublicKey, b: PublicKey): boolean => a.type === b.type && equalBytes(a.bytes, b.bytes);
