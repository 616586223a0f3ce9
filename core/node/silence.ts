/**
 * What a validator may sign after a restart, from its last-signed state, its WAL and its chain. A lock is only recorded
 * in the WAL. If the state has a signature at a height that is missing from the WAL, and the store does not have that
 * height's block, the validator signs nothing through that height: a vote in a later round could contradict a forgotten
 * lock. The real signer and the simulated one both use this rule. The caller saves the silence beside the last-signed
 * state, because at the next start the WAL has records of that height again and looks complete.
 */
import { decodeLogRecord } from '../consensus/log.ts';
import { equalBytes } from '../lib/bytes.ts';
import { err, ok, type Result } from '../lib/result.ts';
import type { ChainReads } from '../store/chainReads.ts';
import type { Address, Height } from '../types/ids.ts';
import type { LogRecord, SignAsk } from './contract.ts';
import { decideSign, type LastSigned, SIGN_STEPS, type SignDecision } from './signGuard.ts';

export interface Silence {
  readonly height: Height;
  /**
   * `silent`: signs nothing up to that height.
   * `repeat`: signs only what it signed last at that height. The end of the WAL was cut off, and the rest does not
   * contain that signature. If only that signature's record was lost, replay asks for the same signature again. If
   * replay asks for anything else, the WAL may have lost a lock, too.
   */
  readonly mode: 'silent' | 'repeat';
}

/** What a repair removed from the WAL. */
export interface LogLosses {
  /** An unfinished write, or a damaged last record, was cut off the end. */
  readonly cut: boolean;
  /** Records of heights that are still needed may be missing. */
  readonly lossy: boolean;
}

export const NO_LOSSES: LogLosses = { cut: false, lossy: false };

/** Everything a validator knows about its own signatures when it starts. */
export interface SignerMemory {
  readonly last: LastSigned;
  readonly address: Address;
  readonly log: readonly LogRecord[];
  readonly losses: LogLosses;
  /** The height that the WAL marks as finished, 0 for none. */
  readonly turnedOver: Height;
  readonly chain: Pick<ChainReads, 'head' | 'base' | 'loadSeenCommit'>;
  /** What an earlier start saved. */
  readonly kept: Silence | undefined;
}

/** The last-signed state lacks a signature that the WAL or the chain has: it is an old copy that would allow double-signing. */
export interface StaleState {
  readonly code: 'stale';
  readonly where: 'log' | 'chain';
  readonly height: Height;
}

/** How many heights of the chain are searched for signatures of this validator that the state does not record. */
const COMMITS_SEARCHED_MAX = 1000;

type Place = Pick<LastSigned, 'height' | 'round' | 'step'>;

const isAfter = (a: Place, b: Place): boolean =>
  a.height !== b.height ? a.height > b.height : a.round !== b.round ? a.round > b.round : a.step > b.step;

/** The silence from now on, undefined for none. */
export function silenceOf(memory: SignerMemory): Result<Silence | undefined, StaleState> {
  const { last, address, log, losses, turnedOver, chain, kept } = memory;
  const { height } = last;
  const newer = lastInLog(log) ?? { height: 0, round: 0, step: 0 };
  if (isAfter(newer, last)) return err({ code: 'stale', where: 'log', height: newer.height });
  const signed = lastInChain(chain, address, height);
  if (signed !== undefined) return err({ code: 'stale', where: 'chain', height: signed });
  const isOver = height <= chain.head() || (!losses.lossy && height <= turnedOver);
  if (height === 0 || isOver) return ok(undefined);
  const before = kept?.height === height ? kept : undefined;
  const isLogged = !losses.lossy && log.some((record) => record.height === height);
  if (!isLogged) return ok({ height, mode: 'silent' });
  // A proposal depends on no lock, so only votes must be in the log or be requested again. If nothing was cut off, the
  // log has everything that the vote depended on: a crash can only have prevented the vote's own record.
  const isAhead = isAfter(last, newer) && last.step > SIGN_STEPS.proposal;
  return ok(before ?? (isAhead && losses.cut ? { height, mode: 'repeat' } : undefined));
}

/** The newest signature of this validator in the log. */
function lastInLog(records: readonly LogRecord[]): Place | undefined {
  let last: Place | undefined;
  for (const record of records) {
    const decoded = decodeLogRecord(record);
    if (!decoded.ok || decoded.value.entry.kind !== 'signed') continue;
    const { of, round, signature } = decoded.value.entry;
    if (signature.length === 0) continue;
    const place = { height: record.height, round, step: SIGN_STEPS[of] };
    if (last === undefined || isAfter(place, last)) last = place;
  }
  return last;
}

/** The newest height above `above` whose commit contains this validator's signature. */
function lastInChain(chain: SignerMemory['chain'], address: Address, above: Height): Height | undefined {
  const lowest = Math.max(above + 1, chain.base(), chain.head() - COMMITS_SEARCHED_MAX + 1, 1);
  for (let height = chain.head(); height >= lowest; height--) {
    const commit = chain.loadSeenCommit(height);
    const isOurs = commit?.signatures.some(
      ({ flag, validatorAddress }) => flag !== 'absent' && equalBytes(validatorAddress, address),
    );
    if (isOurs === true) return height;
  }
  return undefined;
}

/** The guard's decision under a silence: nothing new is signed up to its height. */
export function decideUnder(silence: Silence | undefined, last: LastSigned, ask: SignAsk): SignDecision {
  const decision = decideSign(last, ask);
  if (decision.kind !== 'sign' || silence === undefined || ask.height > silence.height) return decision;
  const why =
    silence.mode === 'silent'
      ? 'the log was damaged'
      : 'the log has lost its end, and with it what was signed last';
  const message =
    `not signing up to height ${silence.height}: ${why}; ` +
    'once the other validators have decided this height, this one votes again';
  return { kind: 'refused', error: { code: 'unavailable', message } };
}

/** Whether the silence ends: replay has asked for the last signature again, so the WAL has lost nothing else. */
export const isOverBy = (silence: Silence | undefined, decision: SignDecision): boolean =>
  silence?.mode === 'repeat' && decision.kind === 'again';
