/** Evidence rules (CometBFT's evidence/verify.go): who may be accused, of what, and for how long. */
import { validateEvidenceBasic } from '../codec/validate.ts';
import { verifyVote } from '../codec/verifySignature.ts';
import type { CryptoSuite } from '../crypto/suite.ts';
import { equalBytes } from '../lib/bytes.ts';
import { err, ok, type Result } from '../lib/result.ts';
import { equalBlockId } from '../types/block.ts';
import type { DuplicateVoteEvidence, Evidence } from '../types/evidence.ts';
import { compareTime, type Height, type Timestamp } from '../types/ids.ts';
import type { ChainState } from '../types/state.ts';
import { findByAddress, type ValidatorSet } from '../types/validator.ts';
import { type AttackFacts, verifyLightClientAttack } from './lightClientAttack.ts';

export type EvidenceError =
  /** No honest node sends this. */
  | { readonly code: 'invalid-evidence'; readonly message: string }
  /** Its height is not in our store yet, or no longer. */
  | { readonly code: 'unknown-height'; readonly message: string; readonly height: Height }
  | { readonly code: 'expired'; readonly message: string; readonly height: Height }
  | { readonly code: 'already-committed'; readonly message: string }
  | { readonly code: 'duplicate-evidence'; readonly message: string };

/** Lookups by height. They return undefined outside the stored chain. */
export interface ChainFacts extends AttackFacts {
  validatorsAt(height: Height): ValidatorSet | undefined;
  /** Header time of the block of that height. */
  blockTimeAt(height: Height): Timestamp | undefined;
}

export const evidenceHeight = (evidence: Evidence): Height =>
  evidence.kind === 'duplicate-vote' ? evidence.voteA.height : evidence.commonHeight;

const nanosBetween = (from: Timestamp, to: Timestamp): bigint =>
  BigInt(to.seconds - from.seconds) * 1_000_000_000n + BigInt(to.nanos - from.nanos);

/** Evidence expires only when it is too old both in blocks and in time. */
export function isExpired(state: ChainState, height: Height, time: Timestamp): boolean {
  const { maxAgeNumBlocks, maxAgeDurationNs } = state.params.evidence;
  return (
    state.lastBlockHeight - height > maxAgeNumBlocks &&
    nanosBetween(time, state.lastBlockTime) > maxAgeDurationNs
  );
}

const invalid = (message: string): Result<void, EvidenceError> => err({ code: 'invalid-evidence', message });

/** Checks everything about the evidence except whether a block has carried it before. */
export function verifyEvidence(
  suite: CryptoSuite,
  facts: ChainFacts,
  state: ChainState,
  evidence: Evidence,
): Result<void, EvidenceError> {
  const basic = validateEvidenceBasic(evidence);
  if (!basic.ok) return invalid(basic.error.message);
  const height = evidenceHeight(evidence);
  const time = height <= state.lastBlockHeight ? facts.blockTimeAt(height) : undefined;
  const validators = facts.validatorsAt(height);
  if (time === undefined || validators === undefined) {
    return err({ code: 'unknown-height', height, message: `no block ${height} to judge evidence by` });
  }
  if (compareTime(evidence.timestamp, time) !== 0)
    return invalid('timestamp is not the block time of its height');
  if (isExpired(state, height, time)) {
    return err({ code: 'expired', height, message: `evidence from height ${height} is too old` });
  }
  return evidence.kind === 'duplicate-vote'
    ? verifyDuplicateVote(suite, state.chainId, validators, evidence)
    : verifyLightClientAttack(facts, state, validators, evidence);
}

function verifyDuplicateVote(
  suite: CryptoSuite,
  chainId: string,
  validators: ValidatorSet,
  evidence: DuplicateVoteEvidence,
): Result<void, EvidenceError> {
  const { voteA, voteB } = evidence;
  if (voteA.height !== voteB.height || voteA.round !== voteB.round || voteA.type !== voteB.type) {
    return invalid('votes are of different height, round or type');
  }
  if (!equalBytes(voteA.validatorAddress, voteB.validatorAddress))
    return invalid('votes are of two validators');
  if (equalBlockId(voteA.blockId, voteB.blockId)) return invalid('votes are for the same value');
  const validator = findByAddress(validators, voteA.validatorAddress)?.validator;
  if (validator === undefined) return invalid('the voter was no validator at that height');
  if (evidence.validatorPower !== validator.power) return invalid('validator power is wrong');
  if (evidence.totalVotingPower !== validators.totalPower) return invalid('total voting power is wrong');
  for (const vote of [voteA, voteB]) {
    // The signature does not cover these fields. With other values the same offence would count as a new one.
    if (validators.validators[vote.validatorIndex] !== validator)
      return invalid('a vote names another place');
    if (vote.extension.length > 0 || vote.extensionSignature.length > 0)
      return invalid('a vote has an extension, and extensions are not enabled');
    if (!verifyVote(suite, validator.pubKey, chainId, vote)) {
      return invalid('a vote has a bad signature');
    }
  }
  return ok(undefined);
}
