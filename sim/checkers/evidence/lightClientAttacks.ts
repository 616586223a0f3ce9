import { voteSignBytes } from '../../../core/codec/signBytes.ts';
import { compareBytes, equalBytes } from '../../../core/lib/bytes.ts';
import type { Commit, Header } from '../../../core/types/block.ts';
import type { LightClientAttackEvidence } from '../../../core/types/evidence.ts';
import { compareTime } from '../../../core/types/ids.ts';
import type { Validator, ValidatorSet } from '../../../core/types/validator.ts';
import { hashOfHeader, hashOfValidators } from '../../reference/chainHashes.ts';
import { totalOf } from '../../schedule.ts';
import type { CheckerContext } from '../checker.ts';
import { isSignature } from '../safety/voteSignature.ts';

/** The decided chain as the observer knows it; undefined where it is forgotten. */
export interface DecidedChain {
  header(height: number): Header | undefined;
  /** As the next block carries it. */
  commit(height: number): Commit | undefined;
  /** Who decided the height. */
  validators(height: number): ValidatorSet | undefined;
}

/** Why a light client attack in the block behind `head` proves nothing, judged apart from core/evidence; undefined when it is good. */
export function attackProblem(
  context: CheckerContext,
  attack: LightClientAttackEvidence,
  chain: DecidedChain,
  head: number,
): string | undefined {
  const { conflictingBlock, commonHeight } = attack;
  const { header } = conflictingBlock;
  const problem = shownProblem(context, attack);
  if (problem !== undefined) return problem;
  const [common, past] = [chain.validators(commonHeight), chain.header(commonHeight)];
  if (common === undefined || past === undefined) return undefined;
  if (attack.totalVotingPower !== totalOf(common.validators)) return 'it has another total power';
  if (compareTime(past.time, attack.timestamp) !== 0)
    return 'it has another time than the block of its height';
  if (header.height > commonHeight) {
    const untrusted = trustProblem(context, attack, common);
    if (untrusted !== undefined) return untrusted;
  }
  return accusationProblem(attack, chain, common, Math.min(header.height, head));
}

/** What is wrong with the block that was shown, whatever the chain is: more than two thirds of the set that it names signed it. */
function shownProblem(context: CheckerContext, attack: LightClientAttackEvidence): string | undefined {
  const { header, commit, validators: shown } = attack.conflictingBlock;
  if (attack.commonHeight > header.height) return 'it trusts a block above the one that was shown';
  if (commit.height !== header.height || !equalBytes(hashOfHeader(header), commit.blockId.hash))
    return 'its commit is for another block';
  if (!equalBytes(hashOfValidators(shown), header.validatorsHash))
    return 'its validators are not those shown';
  const { validators } = shown;
  if (commit.signatures.length !== validators.length) return 'its commit has slots for other validators';
  const signers = validators.filter((_, i) => commit.signatures[i]?.flag === 'commit');
  const isGood = validators.every((one, i) => {
    const slot = commit.signatures[i];
    return (
      slot?.flag !== 'commit' ||
      (equalBytes(slot.validatorAddress, one.address) && isBy(context, commit, i, one))
    );
  });
  if (!isGood) return 'its commit has a bad signature';
  return 3n * totalOf(signers) > 2n * totalOf(validators) ? undefined : 'its block is not decided';
}

/** Whether this slot has the signature of that validator for the block. */
function isBy(
  { cluster, suite }: CheckerContext,
  commit: Commit,
  slot: number,
  { pubKey }: Validator,
): boolean {
  const { height, round, blockId } = commit;
  const { timestamp, signature } = commit.signatures[slot] as Commit['signatures'][number];
  const bytes = voteSignBytes(cluster.genesis.chainId, {
    type: 'precommit',
    height,
    round,
    blockId,
    timestamp,
  });
  return isSignature(suite, pubKey, bytes, signature);
}

/** A client skips to a block that more than a third of those signed whom it trusts. */
function trustProblem(
  context: CheckerContext,
  { conflictingBlock: { commit } }: LightClientAttackEvidence,
  common: ValidatorSet,
): string | undefined {
  const trusted = new Set<Validator>();
  for (const [i, { flag, validatorAddress }] of commit.signatures.entries()) {
    const one = flag === 'commit' ? memberOf(common, validatorAddress) : undefined;
    if (one === undefined) continue;
    if (trusted.has(one)) return 'one of those whom the client trusts signed twice';
    if (!isBy(context, commit, i, one)) return 'it has a bad signature of one whom the client trusts';
    trusted.add(one);
  }
  return 3n * totalOf([...trusted]) > totalOf(common.validators)
    ? undefined
    : 'too few of those whom the client trusts signed it';
}

const memberOf = ({ validators }: ValidatorSet, address: Uint8Array): Validator | undefined =>
  validators.find((one) => equalBytes(one.address, address));

/**
 * The attack is held against the block of its height, or against the newest one where it is ahead of the chain. Dated as a block
 * that is there it may have been learnt of when the chain was shorter: then any block after that date will do.
 */
function accusationProblem(
  attack: LightClientAttackEvidence,
  chain: DecidedChain,
  common: ValidatorSet,
  newest: number,
): string | undefined {
  let first: string | undefined;
  for (let height = newest; height >= attack.commonHeight; height--) {
    const header = chain.header(height);
    if (header === undefined) return undefined;
    const problem = problemAgainst(attack, header, chain, common);
    if (problem === undefined) return undefined;
    first ??= problem;
  }
  return first;
}

function problemAgainst(
  { conflictingBlock, commonHeight, byzantineValidators }: LightClientAttackEvidence,
  ours: Header,
  chain: DecidedChain,
  common: ValidatorSet,
): string | undefined {
  const { header, commit } = conflictingBlock;
  if (header.height > ours.height && compareTime(header.time, ours.time) > 0)
    return 'its block may yet come about';
  if (equalBytes(hashOfHeader(ours), hashOfHeader(header))) return 'its block is that of the chain';
  const isInvented = isDerivedOtherwise(header, ours);
  if (isInvented && header.height === commonHeight)
    return 'its block does not follow from what the client trusts';
  const liars = isInvented ? signersIn(common, commit) : signersOfBoth(chain, ours.height, commit);
  return liars === undefined || isSameList(byzantineValidators, liars)
    ? undefined
    : 'it does not accuse just those who lied';
}

/** Whether something differs that follows from the blocks before. */
const isDerivedOtherwise = (header: Header, ours: Header): boolean =>
  (['validatorsHash', 'nextValidatorsHash', 'consensusHash', 'appHash', 'lastResultsHash'] as const).some(
    (field) => !equalBytes(header[field], ours[field]),
  );

/** Nobody honest signs what does not follow. */
const signersIn = (set: ValidatorSet, { signatures }: Commit): readonly Validator[] =>
  signatures.flatMap(({ flag, validatorAddress }) =>
    flag === 'commit' ? (memberOf(set, validatorAddress) ?? []) : [],
  );

/** Nobody honest signs two blocks in one round; in two rounds nobody can tell who is honest. Both blocks have the same set. */
function signersOfBoth(
  chain: DecidedChain,
  height: number,
  commit: Commit,
): readonly Validator[] | undefined {
  const [ours, set] = [chain.commit(height), chain.validators(height)];
  if (ours === undefined || set === undefined) return undefined;
  if (ours.round !== commit.round) return [];
  return set.validators.filter((_, i) =>
    [ours, commit].every(({ signatures }) => signatures[i]?.flag === 'commit'),
  );
}

/** Those with most power come first. */
function isSameList(accused: readonly Validator[], liars: readonly Validator[]): boolean {
  const sorted = [...liars].sort((a, b) =>
    a.power === b.power ? compareBytes(a.address, b.address) : a.power > b.power ? -1 : 1,
  );
  return (
    accused.length === sorted.length &&
    sorted.every(({ address, pubKey, power }, i) => {
      const one = accused[i] as Validator;
      const isKey = one.pubKey.type === pubKey.type && equalBytes(one.pubKey.bytes, pubKey.bytes);
      return isKey && one.power === power && equalBytes(one.address, address);
    })
  );
}
