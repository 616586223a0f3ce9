import { verifyVote } from '../codec/verifySignature.ts';
import { assert, present, unreachable } from '../lib/assert.ts';
import { EMPTY } from '../lib/bytes.ts';
import { err, ok, type Result } from '../lib/result.ts';
import type { LogRecord } from '../node/contract.ts';
import type { Commit } from '../types/block.ts';
import type { Conflict } from '../types/evidence.ts';
import { compareTime, type Micros, timestampOf } from '../types/ids.ts';
import { STEP } from '../types/messages.ts';
import type { RoundState } from '../types/roundState.ts';
import type { ChainState } from '../types/state.ts';
import { findSign, onProposed, onSigned, onTimer, onTxsAvailable, onValidated } from './answers.ts';
import { reopenCalls } from './calls.ts';
import type { ConsensusInput, ConsensusOptions, Out } from './contract.ts';
import { armNewHeight, beginHeight, onCommitted, onFinalized } from './deciding.ts';
import { type Engine, halt, setTimer } from './engine.ts';
import { newHeightState, precommitsOf } from './heightState.ts';
import { NO_PEER, onMaj23, onPart, onProposal, onVote } from './intake.ts';
import { decodeLogRecord, type LogEntry, type LogError } from './log.ts';
import { armEmptyBlock, armPropose } from './rounds.ts';
import { RoundView } from './roundView.ts';
import { settle } from './rules.ts';
import { precommitTimeoutMs, prevoteTimeoutMs } from './timeouts.ts';

type AppInput = Extract<ConsensusInput, { kind: 'app' }>;
type SignedInput = Extract<ConsensusInput, { kind: 'signed' }>;

/**
 * The Tendermint machine of one node: synchronous and deterministic; it gets the time as an argument and never waits.
 * It takes an input (intake.ts, answers.ts), then runs the paper's clauses until none applies (rules.ts).
 */
export class Consensus {
  /** A live view; always the same object. */
  readonly rs: RoundState;
  readonly #e: Engine;
  #started = false;
  #replayed = false;

  constructor(options: ConsensusOptions) {
    const { state, lastCommit } = options;
    this.#e = {
      config: options.config,
      suite: options.suite,
      verifyVote: options.verifyVote ?? verifyVote,
      validator: options.validator,
      deps: options.deps,
      s: newHeightState(state, lastPrecommits(state, lastCommit), lastCommit),
      now: 0,
      out: SILENT,
      replaying: false,
      halted: undefined,
    };
    this.rs = new RoundView(this.#e);
  }

  /** Handles one input completely. Notices and effects go to `out` in order. */
  step(now: Micros, input: ConsensusInput, out: Out): void {
    const e = this.#e;
    e.now = now;
    e.out = out;
    if (e.halted !== undefined) {
      // If the replayed log ends in a halt, `start` repeats the halt. A halted machine emits nothing else.
      if (input.kind === 'start') halt(e, e.halted);
      return;
    }
    this.#take(input);
    settle(e);
    e.out = SILENT;
  }

  #take(input: ConsensusInput): void {
    const e = this.#e;
    switch (input.kind) {
      case 'start':
        return this.#start();
      case 'proposal':
        return onProposal(e, input.peer ?? NO_PEER, input.proposal);
      case 'part':
        return input.height === e.s.height
          ? onPart(e, input.peer ?? NO_PEER, input.round, input.part)
          : undefined;
      case 'vote':
        return onVote(e, input.peer ?? NO_PEER, input.vote);
      case 'maj23':
        return input.height === e.s.height
          ? onMaj23(e, input.peer, input.round, input.type, input.blockId)
          : undefined;
      case 'timer':
        return input.key.machine === 'consensus' && input.key.height === e.s.height
          ? onTimer(e, input.key.kind, input.key.round)
          : undefined;
      case 'signed':
        return onSignedCall(e, input);
      case 'app':
        return onAppCall(e, input);
      case 'txsAvailable':
        return onTxsAvailable(e);
      default:
        return unreachable(input);
    }
  }

  /**
   * Before `start`: replays the log of the height above the stored state through the same handlers and rules, without
   * effects. Skips records of stored heights. Returns the number of records used.
   */
  replay(records: readonly LogRecord[]): Result<number, LogError> {
    const e = this.#e;
    assert(!this.#started, 'the log is replayed before the start');
    e.replaying = true;
    let used = 0;
    for (const record of records) {
      if (record.height < e.s.height || e.halted !== undefined) continue;
      if (record.height > e.s.height) {
        const message = `record of height ${record.height}, the store is at ${e.s.state.lastBlockHeight}`;
        return err({ code: 'log', message });
      }
      const decoded = decodeLogRecord(record);
      if (!decoded.ok) return decoded;
      e.now = decoded.value.now;
      if (!isFitting(e, decoded.value.entry)) {
        return err({
          code: 'log',
          message: `record ${used} (${decoded.value.entry.kind}) does not fit the state`,
        });
      }
      takeEntry(e, decoded.value.entry);
      settle(e);
      used++;
      this.#replayed = true;
    }
    e.replaying = false;
    return ok(used);
  }

  /** Conflicts found at the height of the log. Their evidence becomes durable only with the next commit batch. */
  get conflicts(): readonly Conflict[] {
    return this.#e.s.conflicts;
  }

  /** Before `start`: moves to a later state, because block sync has stored blocks beyond this machine's height. */
  adopt(state: ChainState, lastCommit: Commit): void {
    const e = this.#e;
    assert(!this.#started, 'block sync comes before consensus');
    assert(state.lastBlockHeight >= e.s.height, 'block sync goes forward');
    e.s = newHeightState(state, lastPrecommits(state, lastCommit), lastCommit);
    e.halted = undefined;
    this.#replayed = false;
  }

  #start(): void {
    const e = this.#e;
    assert(!this.#started, 'started twice');
    this.#started = true;
    const { s } = e;
    if (!this.#replayed) beginHeight(e);
    s.startTime ??= startTimeOf(s.state, e.now);
    armPresentStep(e);
    reopenCalls(e);
    // Until the block time is known, the evidence pool keeps conflicts in memory only: repeat them.
    for (const conflict of s.conflicts) e.out.notice({ kind: 'conflict', conflict });
  }
}

const SILENT: Out = { effect: () => {}, notice: () => {} };

function lastPrecommits(state: ChainState, lastCommit: ConsensusOptions['lastCommit']) {
  if (state.lastValidators === undefined) return undefined;
  const commit = present(lastCommit, 'the store has the commit of its last block');
  assert(commit.height === state.lastBlockHeight, 'the seen commit is of the last block');
  return precommitsOf(commit, state.lastValidators);
}

/** Before the first block, no node starts ahead of genesis time. After a restart, none waits for late precommits. */
function startTimeOf(state: ChainState, now: Micros): Micros {
  if (state.lastBlockHeight > 0 || compareTime(state.lastBlockTime, timestampOf(now)) <= 0) return now;
  return state.lastBlockTime.seconds * 1_000_000 + Math.ceil(state.lastBlockTime.nanos / 1000);
}

/** Timers do not survive a restart: starts the timer of the current step anew. */
function armPresentStep(e: Engine): void {
  const { s, config } = e;
  if (s.step === STEP.newHeight) armNewHeight(e);
  if (s.step === STEP.newRound) armEmptyBlock(e);
  if (s.step === STEP.propose) armPropose(e);
  if (s.step === STEP.prevoteWait) setTimer(e, 'prevote', s.round, prevoteTimeoutMs(config, s.round));
  if (s.step < STEP.commit && s.precommitTimer) {
    setTimer(e, 'precommit', s.round, precommitTimeoutMs(config, s.round));
  }
}

/** Turns the call id into what was asked for, as the log does. Ignores calls of an earlier height or run. */
function onSignedCall(e: Engine, { call, result }: SignedInput): void {
  const open = e.s.signs.find((one) => one.call === call);
  if (open === undefined) return;
  const { kind: of, round } = open.ask;
  onSigned(
    e,
    result.ok
      ? {
          kind: 'signed',
          of,
          round,
          signature: result.value.signature,
          bytes: result.value.bytes,
          reason: '',
        }
      : { kind: 'signed', of, round, signature: EMPTY, bytes: EMPTY, reason: result.error.message },
  );
}

function onAppCall(e: Engine, { call, reply }: AppInput): void {
  const open = e.s.app;
  if (open === undefined || open.call !== call) return;
  switch (reply.kind) {
    case 'proposed':
      assert(open.kind === 'propose', 'answer to propose');
      return onProposed(e, reply.txs, open.evidence);
    case 'validated':
      return onValidated(e, reply.accept, reply.reason);
    case 'finalized':
      assert(open.kind === 'finalize', 'answer to finalize');
      e.s.app = undefined;
      return onFinalized(e, reply.result);
    case 'committed':
      assert(open.kind === 'commit', 'answer to commit');
      e.s.app = undefined;
      return onCommitted(e, reply.result);
    case 'checked':
      return assert(false, 'consensus checks no transactions');
    default:
      return unreachable(reply);
  }
}

/** Whether the question that a record answers is open. If not, the log is of another chain, program or config. */
function isFitting(e: Engine, entry: LogEntry): boolean {
  switch (entry.kind) {
    case 'signed':
      return findSign(e, entry.of, entry.round) !== undefined;
    case 'proposed':
      return e.s.app?.kind === 'propose';
    case 'validated':
      return e.s.app?.kind === 'validate';
    default:
      return true;
  }
}

function takeEntry(e: Engine, entry: LogEntry): void {
  switch (entry.kind) {
    case 'proposal':
      return onProposal(e, entry.peer, entry.proposal);
    case 'part':
      return onPart(e, entry.peer, entry.round, entry.part);
    case 'vote':
      return onVote(e, entry.peer, entry.vote);
    case 'maj23':
      return onMaj23(e, entry.peer, entry.round, entry.type, entry.blockId);
    case 'timer':
      return onTimer(e, entry.timer, entry.round);
    case 'signed':
      return onSigned(e, entry);
    case 'proposed':
      return onProposed(e, entry.txs, entry.evidence);
    case 'validated':
      return onValidated(e, entry.accept, entry.reason);
    case 'txsAvailable':
      return onTxsAvailable(e);
    case 'conflict':
      e.s.conflicts.push({ voteA: entry.voteA, voteB: entry.voteB });
      return;
    case 'settings':
      e.s.waitsForTxs = entry.waitsForTxs;
      e.s.skipsWait = entry.skipsWait;
      return;
    default:
      return unreachable(entry);
  }
}
