import { assert, present } from '../lib/assert.ts';
import { err, ok, type Result } from '../lib/result.ts';
import type { Commit } from '../types/block.ts';
import { compareTime, type Timestamp } from '../types/ids.ts';
import type { ValidatorSet } from '../types/validator.ts';

export interface WeightedTime {
  readonly time: Timestamp;
  readonly power: bigint;
}

/** The weighted median of BFT time. It lies within the range of honest clocks while less than a third is faulty. */
export function weightedMedian(times: readonly WeightedTime[]): Timestamp {
  assert(times.length > 0, 'median of nothing');
  const sorted = [...times].sort((a, b) => compareTime(a.time, b.time));
  let rest = sorted.reduce((sum, { power }) => sum + power, 0n) / 2n;
  for (const { time, power } of sorted) {
    if (rest <= power) return time;
    rest -= power;
  }
  return present(sorted[sorted.length - 1], 'non-empty').time;
}

export interface MedianTimeError {
  readonly code: 'median-time';
  readonly message: string;
}

/**
 * Block time from the commit in the block. Nil votes count, absent ones do not. Slot i belongs to validator i: the address
 * in the slot, which no signature covers, has no influence on the weight (CSA-2026-001).
 */
export function medianTime(commit: Commit, validators: ValidatorSet): Result<Timestamp, MedianTimeError> {
  const times: WeightedTime[] = [];
  for (let i = 0; i < commit.signatures.length; i++) {
    const signature = present(commit.signatures[i], 'in range');
    if (signature.flag === 'absent') continue;
    const signer = validators.validators[i];
    if (signer === undefined) return err({ code: 'median-time', message: `slot ${i} is of no validator` });
    times.push({ time: signature.timestamp, power: signer.power });
  }
  if (times.length === 0) return err({ code: 'median-time', message: 'commit without signatures' });
  return ok(weightedMedian(times));
}
