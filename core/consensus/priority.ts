/** Proposer rotation (CometBFT's types/validator_set.go): weighted round robin in exact int64 arithmetic. */
import { TOTAL_POWER_MAX, VALIDATORS_MAX } from '../codec/limits.ts';
import { assert, present } from '../lib/assert.ts';
import { compareBytes, equalBytes } from '../lib/bytes.ts';
import { err, ok, type Result } from '../lib/result.ts';
import type { Address, Round } from '../types/ids.ts';
import type { PublicKey, Validator, ValidatorSet } from '../types/validator.ts';
import { inheritHash } from './setHash.ts';

const INT64_MAX = 2n ** 63n - 1n;
const INT64_MIN = -(2n ** 63n);
const WINDOW_FACTOR = 2n;

const clip = (value: bigint): bigint =>
  value > INT64_MAX ? INT64_MAX : value < INT64_MIN ? INT64_MIN : value;

export interface ValidatorChange {
  readonly address: Address;
  readonly pubKey: PublicKey;
  /** 0 removes the validator. */
  readonly power: bigint;
}

export type ValidatorSetError =
  | { readonly code: 'empty-set' }
  | { readonly code: 'duplicate-address'; readonly address: Address }
  | { readonly code: 'negative-power'; readonly address: Address; readonly power: bigint }
  | { readonly code: 'power-too-large'; readonly power: bigint }
  | { readonly code: 'total-power-too-large'; readonly total: bigint }
  | { readonly code: 'remove-unknown'; readonly address: Address }
  | { readonly code: 'too-many-validators'; readonly count: number };

/** A validator whose priority may still change. The sets themselves are immutable. */
interface Draft {
  readonly validator: Validator;
  priority: bigint;
}

/** Highest priority; on a tie, the lower address. */
function highest(drafts: readonly Draft[]): Draft {
  let best = present(drafts[0], 'proposer of an empty set');
  for (const draft of drafts) {
    if (draft.priority < best.priority) continue;
    if (draft.priority > best.priority || compareBytes(draft.validator.address, best.validator.address) < 0) {
      best = draft;
    }
  }
  return best;
}

/** Shrinks the spread of priorities to at most `window`, truncating toward zero as Go does. */
function rescale(drafts: readonly Draft[], window: bigint): void {
  if (window <= 0n) return;
  let min = INT64_MAX;
  let max = INT64_MIN;
  for (const { priority } of drafts) {
    if (priority < min) min = priority;
    if (priority > max) max = priority;
  }
  const spread = max - min;
  if (spread <= window) return;
  const ratio = (spread + window - 1n) / window;
  for (const draft of drafts) draft.priority /= ratio;
}

/** Mean of the priorities, rounded toward minus infinity (Go's Euclidean big.Int division). */
export function averagePriority(priorities: readonly bigint[]): bigint {
  const count = BigInt(priorities.length);
  const sum = priorities.reduce((total, priority) => total + priority, 0n);
  const quotient = sum / count;
  return sum < 0n && quotient * count !== sum ? quotient - 1n : quotient;
}

function center(drafts: readonly Draft[]): void {
  const average = averagePriority(drafts.map((draft) => draft.priority));
  // The usual case: unless the set has changed, the priorities average 0.
  if (average === 0n) return;
  for (const draft of drafts) draft.priority = clip(draft.priority - average);
}

const settled = (draft: Draft): Validator =>
  draft.priority === draft.validator.priority
    ? draft.validator
    : { ...draft.validator, priority: draft.priority };

const draftsOf = (set: ValidatorSet): Draft[] =>
  set.validators.map((validator) => ({ validator, priority: validator.priority }));

/** Takes `times` ≥ 0 turns of the rotation; 0 returns the same set. Cost grows with `times` × validators. */
export function incrementPriority(set: ValidatorSet, times: number): ValidatorSet {
  assert(Number.isSafeInteger(times) && times >= 0, 'priority increments');
  if (times === 0) return set;
  const drafts = draftsOf(set);
  rescale(drafts, WINDOW_FACTOR * set.totalPower);
  center(drafts);
  let chosen = highest(drafts);
  for (let i = 0; i < times; i++) {
    for (const draft of drafts) draft.priority = clip(draft.priority + draft.validator.power);
    chosen = highest(drafts);
    chosen.priority = clip(chosen.priority - set.totalPower);
  }
  const validators = drafts.map(settled);
  const proposer = present(validators[drafts.indexOf(chosen)], 'chosen from the set');
  return inheritHash({ validators, totalPower: set.totalPower, proposer }, set);
}

function checkChanges(changes: readonly ValidatorChange[]): Result<void, ValidatorSetError> {
  for (let i = 0; i < changes.length; i++) {
    const { address, power } = changes[i] as ValidatorChange;
    if (power < 0n) return err({ code: 'negative-power', address, power });
    if (power > TOTAL_POWER_MAX) return err({ code: 'power-too-large', power });
    const before = changes[i - 1];
    if (before && equalBytes(before.address, address)) return err({ code: 'duplicate-address', address });
  }
  return ok(undefined);
}

/** The members after the changes, unsorted, and the total before anything is removed. */
function mergeChanges(
  current: readonly Validator[],
  sorted: readonly ValidatorChange[],
): Result<{ readonly drafts: Draft[]; readonly totalBeforeRemovals: bigint }, ValidatorSetError> {
  const byAddress = new Map(current.map((validator) => [keyOf(validator.address), validator]));
  const changed = new Map(sorted.map((change) => [keyOf(change.address), change]));
  for (const change of sorted) {
    if (change.power === 0n && !byAddress.has(keyOf(change.address))) {
      return err({ code: 'remove-unknown', address: change.address });
    }
  }
  let total = 0n;
  for (const validator of current) {
    const change = changed.get(keyOf(validator.address));
    total += change === undefined || change.power === 0n ? validator.power : change.power;
  }
  const fresh = sorted.filter((change) => change.power > 0n && !byAddress.has(keyOf(change.address)));
  for (const change of fresh) total += change.power;
  const drafts: Draft[] = [];
  for (const validator of current) {
    const change = changed.get(keyOf(validator.address));
    if (change?.power === 0n) continue;
    const next = change ? { ...validator, pubKey: change.pubKey, power: change.power } : validator;
    drafts.push({ validator: next, priority: validator.priority });
  }
  // A new validator starts at -1.125 × total, so that leaving and rejoining gains it no turn.
  const start = -(total + (total >> 3n));
  for (const { address, pubKey, power } of fresh) {
    drafts.push({ validator: { address, pubKey, power, priority: start }, priority: start });
  }
  return ok({ drafts, totalBeforeRemovals: total });
}

const keyOf = (address: Address): string => String.fromCharCode(...address);

const bySetOrder = (a: Draft, b: Draft): number =>
  a.validator.power === b.validator.power
    ? compareBytes(a.validator.address, b.validator.address)
    : a.validator.power > b.validator.power
      ? -1
      : 1;

function changeMembers(
  set: ValidatorSet | undefined,
  changes: readonly ValidatorChange[],
): Result<ValidatorSet, ValidatorSetError> {
  const sorted = [...changes].sort((a, b) => compareBytes(a.address, b.address));
  const checked = checkChanges(sorted);
  if (!checked.ok) return checked;
  const merged = mergeChanges(set?.validators ?? [], sorted);
  if (!merged.ok) return merged;
  const { drafts, totalBeforeRemovals } = merged.value;
  if (drafts.length === 0) return err({ code: 'empty-set' });
  if (drafts.length > VALIDATORS_MAX) return err({ code: 'too-many-validators', count: drafts.length });
  const totalPower = drafts.reduce((sum, { validator }) => sum + validator.power, 0n);
  // CometBFT applies removals to the total before it checks updates, so only the total after removals is bounded.
  if (totalPower > TOTAL_POWER_MAX) return err({ code: 'total-power-too-large', total: totalPower });
  assert(totalBeforeRemovals >= totalPower, 'removals cannot add power');
  rescale(drafts, WINDOW_FACTOR * totalPower);
  center(drafts);
  drafts.sort(bySetOrder);
  const validators = drafts.map(settled);
  const proposer = present(validators[drafts.indexOf(highest(drafts))], 'chosen from the set');
  return ok({ validators, totalPower, proposer });
}

/** Changes members without a turn of the rotation. Without changes it returns the same set. */
export function applyUpdates(
  set: ValidatorSet,
  changes: readonly ValidatorChange[],
): Result<ValidatorSet, ValidatorSetError> {
  return changes.length === 0 ? ok(set) : changeMembers(set, changes);
}

/** A new set after its first turn of the rotation (CometBFT NewValidatorSet). */
export function makeValidatorSet(list: readonly ValidatorChange[]): Result<ValidatorSet, ValidatorSetError> {
  const members = changeMembers(undefined, list);
  return members.ok ? ok(incrementPriority(members.value, 1)) : members;
}

/**
 * The set `rounds` turns later. Each turn is taken separately, so a node that skips rounds expects the same proposer as
 * nodes that went through them. CometBFT takes the turns of a skip at once, without rescaling in between. Where a new
 * validator has stretched the priorities, a turn drives them beyond the window, and CometBFT nodes may then expect two
 * proposers in one round. Cost grows with rounds × validators.
 */
export function afterRounds(set: ValidatorSet, rounds: number): ValidatorSet {
  let later = set;
  for (let i = 0; i < rounds; i++) later = incrementPriority(later, 1);
  return later;
}

/** Proposer of a round at the height that `set` is for. */
export const proposerOf = (set: ValidatorSet, round: Round): Validator => afterRounds(set, round).proposer;
