/** The paper's StartRound and Broadcast, and CometBFT's steps between them. */
import { voteSignBytes } from '../codec/signBytes.ts';
import { assert } from '../lib/assert.ts';
import { EMPTY, equalBytes } from '../lib/bytes.ts';
import { type BlockId, ZERO_BLOCK_ID } from '../types/block.ts';
import { addMillis, compareTime, type Round, type Timestamp, timestampOf } from '../types/ids.ts';
import { STEP } from '../types/messages.ts';
import { findByAddress } from '../types/validator.ts';
import type { Vote, VoteType } from '../types/vote.ts';
import { askSignature } from './calls.ts';
import { type Engine, enterStep, publish, roundEvent, setTimer } from './engine.ts';
import type { HeightState } from './heightState.ts';
import { afterRounds } from './priority.ts';
import { proposeTimeoutMs } from './timeouts.ts';

/** L11 StartRound. Round 0 may have to wait for transactions first. */
export function startRound(e: Engine, round: Round): void {
  const { s } = e;
  assert(round > s.round || (round === s.round && s.step === STEP.newHeight), 'rounds only go up');
  if (round > s.round) s.roundSet = afterRounds(s.roundSet, round - s.round);
  if (round > 0) {
    s.proposal = undefined;
    s.current = undefined;
  }
  s.round = round;
  s.precommitTimer = false;
  s.hasProposed = false;
  enterStep(e, STEP.newRound);
  const { proposer } = s.roundSet;
  const index = findByAddress(s.roundSet, proposer.address)?.index ?? 0;
  publish(e, { kind: 'newRound', at: roundEvent(e), proposer: { address: proposer.address, index } });
  if (round > 0 || !s.waitsForTxs || s.txsAvailable) enterPropose(e);
  else armEmptyBlock(e);
}

/** Limits how long round 0 waits for transactions. With an interval of 0 there is no limit. */
export function armEmptyBlock(e: Engine): void {
  const { createEmptyBlocksIntervalMs } = e.config;
  if (createEmptyBlocksIntervalMs > 0) setTimer(e, 'emptyBlock', 0, createEmptyBlocksIntervalMs);
}

/** L21. The proposer arms the timeout as well: its application or signer may not answer. */
export function enterPropose(e: Engine): void {
  assert(e.s.step === STEP.newRound, 'propose follows the new round');
  enterStep(e, STEP.propose);
  armPropose(e);
}

export const armPropose = (e: Engine): void =>
  setTimer(e, 'propose', e.s.round, proposeTimeoutMs(e.config, e.s.round));

/** Our index in this height's validator set; undefined if we are not in it. */
const ownIndex = (e: Engine): number | undefined =>
  e.validator && findByAddress(e.s.state.validators, e.validator.address)?.index;

export const isProposer = (e: Engine): boolean =>
  e.validator !== undefined && equalBytes(e.s.roundSet.proposer.address, e.validator.address);

/** A vote's time is at least 1 ms after the time of the block it may commit: block time advances (BFT time). */
function voteTime(s: HeightState, now: Timestamp): Timestamp {
  const block = s.locked?.block ?? s.current?.block;
  if (block === undefined) return now;
  const least = addMillis(block.header.time, 1);
  return compareTime(now, least) > 0 ? now : least;
}

/** Broadcast PREVOTE or PRECOMMIT. The step changes at once; the vote exists only when its signature arrives. */
export function castVote(e: Engine, type: VoteType, blockId: BlockId): void {
  const { s } = e;
  const validatorIndex = ownIndex(e);
  if (validatorIndex !== undefined && e.validator !== undefined) {
    const vote: Vote = {
      type,
      height: s.height,
      round: s.round,
      blockId,
      timestamp: voteTime(s, timestampOf(e.now)),
      validatorAddress: e.validator.address,
      validatorIndex,
      signature: EMPTY,
      extension: EMPTY,
      extensionSignature: EMPTY,
    };
    const bytes = voteSignBytes(s.state.chainId, vote);
    const ask = { kind: type, height: s.height, round: s.round, bytes };
    askSignature(e, { kind: 'vote', call: e.deps.nextCall(), ask, vote });
  }
  enterStep(e, type === 'prevote' ? STEP.prevote : STEP.precommit);
}

export const castNil = (e: Engine, type: VoteType): void => castVote(e, type, ZERO_BLOCK_ID);
