/** L49 to L54: from a commit to the next height. */

import { assert, present } from '../lib/assert.ts';
import { toUpperHex } from '../lib/bytes.ts';
import type { CommitReply, FinalizeReply } from '../types/app.ts';
import { STEP } from '../types/messages.ts';
import { askApp } from './calls.ts';
import { candidateFor, fitsParams, isOf } from './candidates.ts';
import { nextState } from './chainState.ts';
import { type Engine, emit, enterStep, halt, persist, publish, publishRound, setTimer } from './engine.ts';
import { commitOf, type HeightState, newHeightState, precommitsOf } from './heightState.ts';
import { OWN } from './intake.ts';
import { waitsForTxs } from './timeouts.ts';

/** First half of L49: more than two thirds precommitted a block. If we do not hold it, we now collect its parts. */
export function enterCommit(e: Engine): void {
  const { s } = e;
  const commit = present(s.votes.commit, 'a commit is known');
  s.commitRound = commit.round;
  s.commitTime = e.now;
  if (!isOf(s.current, commit.blockId)) {
    if (!fitsParams(s, commit.blockId)) {
      halt(e, `height ${s.height}: a block of ${commit.blockId.parts.total} parts was decided`);
      return;
    }
    s.current = candidateFor(s, commit.blockId);
    publishRound(e, 'ValidBlock');
    e.out.notice({ kind: 'validBlock' });
  }
  enterStep(e, STEP.commit);
}

/** Second half of L49, and L51: the committed block is complete and valid. */
export function decide(e: Engine): void {
  const { s } = e;
  const { blockId, block, parts } = present(s.current, 'decides what it holds');
  const precommits = present(s.votes.peek(s.commitRound, 'precommit'), 'the commit round has votes');
  s.decision = {
    blockId,
    block: present(block, 'a valid block is whole'),
    parts,
    seenCommit: commitOf(precommits),
    done: undefined,
  };
  askApp(e, { kind: 'finalize', call: e.deps.nextCall() });
}

/** L50 fails: more than a third is faulty, or this node is. Continuing would fork or endorse an invalid block. */
export function haltOnInvalidDecision(e: Engine, reason: string): void {
  const { s } = e;
  const { blockId, block } = present(s.current, 'judged what it holds');
  const theirs = block === undefined ? '' : `, its app hash ${toUpperHex(block.header.appHash)}`;
  halt(
    e,
    `height ${s.height}: block ${toUpperHex(blockId.hash)} was decided and is invalid here: ${reason}` +
      ` (our app hash ${toUpperHex(s.state.appHash)}${theirs})`,
  );
}

/** The application has executed the decided block. */
export function onFinalized(e: Engine, results: FinalizeReply): void {
  const decision = present(e.s.decision, 'finalize was asked for a decision');
  const next = nextState(e.s.state, decision.blockId, decision.block, results);
  if (!next.ok) {
    halt(e, `height ${e.s.height}: the application's answer is not usable: ${next.error.code}`);
    return;
  }
  decision.done = { results, state: next.value };
  askApp(e, { kind: 'commit', call: e.deps.nextCall() });
}

/** The block, the state and the seen commit are durable: L52 to L54. */
export function onCommitted(e: Engine, reply: CommitReply): void {
  const { s } = e;
  const { block, blockId, seenCommit, done } = present(s.decision, 'commit was asked for a decision');
  const { state, results } = present(done, 'commit follows finalize');
  assert(state.lastBlockHeight === s.height, 'heights go up by one');
  const next = newHeightState(state, precommitsOf(seenCommit, s.state.validators), seenCommit);
  next.commitTime = s.commitTime;
  next.startTime = s.commitTime + e.config.timeoutCommitMs * 1000;
  e.s = next;
  beginHeight(e);
  emit(e, { kind: 'turnover', height: s.height });
  publish(e, { kind: 'committed', block, blockId, results, state });
  e.out.notice({ kind: 'committed', height: s.height, block, blockId, results, state, reply });
  carryOver(e, s);
  enterStep(e, STEP.newHeight);
  armNewHeight(e);
}

/** Copies what is still needed of the last height into the new height's log: the last height's own log is discarded. */
function carryOver(e: Engine, last: HeightState): void {
  // The pool turns these into evidence now, but stores it only with the next block.
  for (const conflict of last.conflicts) {
    if (conflict.voteA.height !== last.height) continue;
    persist(e, { kind: 'conflict', ...conflict });
    e.s.conflicts.push(conflict);
  }
  // Precommits that came after the seen commit was made belong in the new height's log.
  const live = present(last.votes.peek(last.commitRound, 'precommit'), 'the commit round has votes');
  const late = present(e.s.lastPrecommits, 'built from the seen commit');
  for (let i = 0; i < live.bits.size; i++) {
    const vote = live.vote(i);
    if (vote === undefined || late.judge(vote).kind !== 'fresh') continue;
    persist(e, { kind: 'vote', peer: OWN, vote });
    late.add(vote);
  }
}

/** Fixes the settings for this height and logs them as its first entry. */
export function beginHeight(e: Engine): void {
  // The first block does not wait for transactions: it proves the genesis state (CometBFT's proof block).
  e.s.waitsForTxs = e.s.height > e.s.state.initialHeight && waitsForTxs(e.config);
  e.s.skipsWait = e.config.skipTimeoutCommit;
  persist(e, { kind: 'settings', waitsForTxs: e.s.waitsForTxs, skipsWait: e.s.skipsWait });
}

/**
 * Round 0 starts when the wait for late precommits is over, or before the first block at genesis time. The wait is
 * capped, so that a clock set back since the commit cannot prolong it.
 */
export function armNewHeight(e: Engine): void {
  const { s, config } = e;
  const start = present(s.startTime, 'start time is set');
  const longest = s.state.lastBlockHeight === 0 ? Number.POSITIVE_INFINITY : config.timeoutCommitMs;
  setTimer(e, 'newHeight', 0, Math.min(longest, Math.max(0, Math.ceil((start - e.now) / 1000))));
}
