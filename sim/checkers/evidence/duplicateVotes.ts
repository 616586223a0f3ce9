import { evidenceHeight } from '../../../core/evidence/verify.ts';
import { equalBytes, toHex } from '../../../core/lib/bytes.ts';
import { type Block, equalBlockId } from '../../../core/types/block.ts';
import type {
  DuplicateVoteEvidence,
  Evidence,
  LightClientAttackEvidence,
} from '../../../core/types/evidence.ts';
import { compareTime, type Timestamp } from '../../../core/types/ids.ts';
import type { ConsensusParams } from '../../../core/types/params.ts';
import type { ValidatorSet } from '../../../core/types/validator.ts';
import { hashOfHeader } from '../../reference/chainHashes.ts';
import type { CheckerContext } from '../checker.ts';
import { hasExtension, isSignedBy } from '../safety/voteSignature.ts';

/** What the observer knows of an earlier height. */
export interface PastHeight {
  readonly time: Timestamp;
  readonly validators: ValidatorSet;
}

/**
 * Why two votes in a decided block prove nothing; undefined when they do. Judged apart from core/evidence. Without `past`,
 * the facts of their height are not checked.
 */
export function duplicateVoteProblem(
  context: CheckerContext,
  evidence: DuplicateVoteEvidence,
  past: PastHeight | undefined,
): string | undefined {
  const { voteA, voteB } = evidence;
  if (voteA.height !== voteB.height || voteA.round !== voteB.round || voteA.type !== voteB.type)
    return 'it names votes of different height, round or type';
  if (equalBlockId(voteA.blockId, voteB.blockId)) return 'its votes are for the same value';
  if (!equalBytes(voteA.validatorAddress, voteB.validatorAddress)) return 'its votes are of two validators';
  const member = context.cluster.members.find((one) => equalBytes(one.address, voteA.validatorAddress));
  if (member === undefined) return 'it accuses nobody of this chain';
  // No signature covers the order. With any other one, the same offence could count twice.
  if (toHex(voteA.blockId.hash) > toHex(voteB.blockId.hash)) return 'its votes are in the wrong order';
  if ([voteA, voteB].some(hasExtension)) return 'it has a vote with an extension';
  if (![voteA, voteB].every((vote) => isSignedBy(context, member.signer.pubKey, vote)))
    return 'it has a vote with a bad signature';
  if (past === undefined) return undefined;
  const validator = past.validators.validators.find((one) => equalBytes(one.address, member.address));
  if ([voteA, voteB].some(({ validatorIndex }) => past.validators.validators[validatorIndex] !== validator))
    return 'it names another place for the accused';
  if (validator?.power !== evidence.validatorPower) return 'it has another power than the accused';
  if (past.validators.totalPower !== evidence.totalVotingPower) return 'it has another total power';
  if (compareTime(past.time, evidence.timestamp) !== 0)
    return 'it has another time than the block of its height';
  return undefined;
}

/** Height and time of a block. */
export interface When {
  readonly height: number;
  readonly time: Timestamp;
}

/** Evidence from `then` is too old for a block after `last` if it is too old both in blocks and in time. */
export function isTooOld({ evidence }: ConsensusParams, then: When, last: When): boolean {
  const { maxAgeNumBlocks, maxAgeDurationNs } = evidence;
  const nanos = ({ time }: When): bigint => BigInt(time.seconds) * 1_000_000_000n + BigInt(time.nanos);
  return last.height - then.height > maxAgeNumBlocks && nanos(last) - nanos(then) > maxAgeDurationNs;
}

/** Whether a node may have dropped a piece when it stored `last`, by the parameters around that height. */
export const mayExpire = ({ cluster }: CheckerContext, piece: Evidence, last: When): boolean => {
  const then = { height: evidenceHeight(piece), time: piece.timestamp };
  return [0, 1, 2].some((ahead) => isTooOld(cluster.schedule.params(last.height + ahead), then, last));
};

/** Finds evidence that is in the chain twice, in one block or in two. */
export class CommittedEvidence {
  readonly #seen = new Set<string>();

  /** Evidence of the block that was in the chain before; undefined without any. */
  add(block: Block): Evidence | undefined {
    let twice: Evidence | undefined;
    for (const evidence of block.evidence) {
      const key = offenceOf(evidence);
      if (this.#seen.has(key)) twice = evidence;
      this.#seen.add(key);
    }
    return twice;
  }
}

/** Names an attack. Proofs of one attack may have different signatures of the false block, and so accuse differently. */
export const attackName = ({ commonHeight, conflictingBlock }: LightClientAttackEvidence): string =>
  `${commonHeight}/${toHex(hashOfHeader(conflictingBlock.header))}`;

/** Names what was done, whatever the evidence says of it that no signature covers. */
function offenceOf(evidence: Evidence): string {
  if (evidence.kind === 'light-client-attack') return attackName(evidence);
  const { voteA, voteB } = evidence;
  return [voteA, voteB]
    .map((vote) => toHex(vote.signature))
    .sort()
    .join('/');
}
