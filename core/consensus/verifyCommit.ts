/**
 * Commit verification (CometBFT's types/validation.go), with one signature check per slot. `isKnown` saves checks done
 * before.
 */
import { TOTAL_POWER_MAX } from '../codec/limits.ts';
import { verifyVote } from '../codec/verifySignature.ts';
import type { CryptoSuite } from '../crypto/suite.ts';
import { present } from '../lib/assert.ts';
import { equalBytes } from '../lib/bytes.ts';
import { err, ok, type Result } from '../lib/result.ts';
import { type BlockId, type Commit, equalBlockId } from '../types/block.ts';
import type { Height } from '../types/ids.ts';
import { findByAddress, type Validator, type ValidatorSet } from '../types/validator.ts';
import { commitVote, type Vote } from '../types/vote.ts';
import { isQuorum } from './quorum.ts';

export type CommitError =
  | { readonly code: 'commit-size'; readonly validators: number; readonly signatures: number }
  | { readonly code: 'commit-height'; readonly expected: Height; readonly got: Height }
  | { readonly code: 'commit-block-id' }
  | { readonly code: 'commit-address'; readonly index: number }
  | { readonly code: 'commit-signature'; readonly index: number }
  | { readonly code: 'commit-power'; readonly got: bigint; readonly total: bigint }
  | { readonly code: 'commit-double-signer'; readonly index: number }
  | { readonly code: 'trust-level' };

export interface CommitCheck {
  readonly chainId: string;
  readonly suite: CryptoSuite;
  /** True if exactly this vote, with its signature, was verified before. */
  readonly isKnown?: (vote: Vote) => boolean;
}

function isSigned(check: CommitCheck, commit: Commit, index: number, validator: Validator): boolean {
  const vote = present(commitVote(commit, index), 'absent slots are passed over');
  return check.isKnown?.(vote) === true || verifyVote(check.suite, validator.pubKey, check.chainId, vote);
}

function checkShape(
  validators: ValidatorSet,
  blockId: BlockId,
  height: Height,
  commit: Commit,
): Result<void, CommitError> {
  const [slots, members] = [commit.signatures.length, validators.validators.length];
  if (slots !== members) return err({ code: 'commit-size', validators: members, signatures: slots });
  if (commit.height !== height) return err({ code: 'commit-height', expected: height, got: commit.height });
  if (!equalBlockId(commit.blockId, blockId)) return err({ code: 'commit-block-id' });
  return ok(undefined);
}

/** Slot i must be signed by validator i: a wrong address could shift the median time (CSA-2026-001). */
function checkSlots(
  check: CommitCheck,
  validators: ValidatorSet,
  commit: Commit,
  mode: { readonly nilToo: boolean; readonly stopEarly: boolean },
): Result<void, CommitError> {
  let power = 0n;
  for (let i = 0; i < commit.signatures.length; i++) {
    const signature = present(commit.signatures[i], 'slot in range');
    if (signature.flag === 'absent' || (signature.flag === 'nil' && !mode.nilToo)) continue;
    const validator = present(validators.validators[i], 'sizes are equal');
    if (!equalBytes(validator.address, signature.validatorAddress)) {
      return err({ code: 'commit-address', index: i });
    }
    if (!isSigned(check, commit, i, validator)) return err({ code: 'commit-signature', index: i });
    if (signature.flag === 'commit') power += validator.power;
    if (mode.stopEarly && isQuorum(power, validators.totalPower)) return ok(undefined);
  }
  if (isQuorum(power, validators.totalPower)) return ok(undefined);
  return err({ code: 'commit-power', got: power, total: validators.totalPower });
}

/** Verifies all signatures, those of nil votes too. More than two thirds must be for the block. */
export function verifyCommit(
  check: CommitCheck,
  validators: ValidatorSet,
  blockId: BlockId,
  height: Height,
  commit: Commit,
): Result<void, CommitError> {
  const shape = checkShape(validators, blockId, height, commit);
  return shape.ok ? checkSlots(check, validators, commit, { nilToo: true, stopEarly: false }) : shape;
}

/** Verifies only signatures for the block, and stops once they exceed two thirds (unless `allSignatures`). */
export function verifyCommitLight(
  check: CommitCheck,
  validators: ValidatorSet,
  blockId: BlockId,
  height: Height,
  commit: Commit,
  allSignatures = false,
): Result<void, CommitError> {
  const shape = checkShape(validators, blockId, height, commit);
  if (!shape.ok) return shape;
  return checkSlots(check, validators, commit, { nilToo: false, stopEarly: !allSignatures });
}

export interface TrustLevel {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

export const ONE_THIRD: TrustLevel = { numerator: 1n, denominator: 3n };

/** Whether more than `level` of an older set signed the block. Signers outside that set are skipped. */
export function verifyCommitLightTrusting(
  check: CommitCheck,
  trusted: ValidatorSet,
  commit: Commit,
  level: TrustLevel,
  allSignatures = false,
): Result<void, CommitError> {
  const { numerator, denominator } = level;
  const sane = denominator > 0n && numerator * 3n >= denominator && numerator <= denominator;
  if (!sane || denominator > TOTAL_POWER_MAX) {
    return err({ code: 'trust-level' });
  }
  const needed = (trusted.totalPower * numerator) / denominator;
  const seen = new Set<number>();
  let power = 0n;
  for (let i = 0; i < commit.signatures.length; i++) {
    const signature = present(commit.signatures[i], 'slot in range');
    if (signature.flag !== 'commit') continue;
    const found = findByAddress(trusted, signature.validatorAddress);
    if (found === undefined) continue;
    if (seen.has(found.index)) return err({ code: 'commit-double-signer', index: i });
    seen.add(found.index);
    if (!isSigned(check, commit, i, found.validator)) return err({ code: 'commit-signature', index: i });
    power += found.validator.power;
    if (!allSignatures && power > needed) return ok(undefined);
  }
  return power > needed
    ? ok(undefined)
    : err({ code: 'commit-power', got: power, total: trusted.totalPower });
}
