import { nextHeight } from '../../core/consensus/chainState.ts';
import type { ConsensusOptions, Out } from '../../core/consensus/contract.ts';
import { Consensus } from '../../core/consensus/machine.ts';
import { present } from '../../core/lib/assert.ts';
import type { Effect, Input, LogRecord } from '../../core/node/contract.ts';
import type { Commit } from '../../core/types/block.ts';
import type { Conflict } from '../../core/types/evidence.ts';
import type { Micros } from '../../core/types/ids.ts';
import { STEP } from '../../core/types/messages.ts';
import type { RoundState } from '../../core/types/roundState.ts';
import type { ChainState } from '../../core/types/state.ts';
import { askText, conflictText, OpenCalls, timersOf } from './openCalls.ts';

/**
 * Heights without trouble are tried only once in so many, but then at every step. Always tried are later rounds, blocks
 * of several parts, and waits for transactions.
 */
const EVERY = 8;
/** Records of one height. Longer logs are not tried. */
const RECORDS_MAX = 4_000;
/**
 * A log is tried again after it has grown by this part, a long log by more. Otherwise a height of many rounds would
 * cost the square of its length.
 */
const GROWTH = 8;
const LONG = 256;

/** What a machine is made with, except for the state of its chain. */
export type ShadowParts = Omit<ConsensusOptions, 'state' | 'lastCommit'>;

/** What the current height builds on. */
interface Base {
  readonly state: ChainState;
  readonly lastCommit: Commit | undefined;
}

/** The machine that runs. */
export interface Running {
  readonly rs: RoundState;
  /** Offences that it would have to report again. */
  conflicts(): readonly Conflict[];
  /** Block sync is at work, and consensus has not asked for anything yet. */
  isResting(): boolean;
  /** The state and the log that it began with. */
  readonly state: ChainState;
  readonly log: readonly LogRecord[];
}

/** A machine, and what it waits for, in words. */
export interface Standing {
  readonly rs: RoundState;
  readonly waitsFor: readonly string[];
}

/**
 * What a restart at this very moment would make of the log: a second machine, on the state with which the height began,
 * which replays the records that the first one has found or made, and resumes.
 */
export class Shadow {
  readonly #running: Running;
  readonly #rs: RoundState;
  readonly #parts: ShadowParts;
  readonly #open = new OpenCalls();
  #base: Base | undefined;
  #records: LogRecord[];
  /** Where it was tried last, and with how many records. */
  #tried = { place: '', height: 0, records: 0 };

  constructor(running: Running, parts: ShadowParts) {
    const { rs, state, log } = running;
    this.#running = running;
    this.#rs = rs;
    this.#parts = parts;
    this.#base = { state, lastCommit: rs.lastCommit };
    this.#records = log.filter(({ height }) => height > state.lastBlockHeight);
  }

  hear(input: Input): void {
    this.#open.onInput(input);
  }

  note(effect: Effect): void {
    this.#open.onEffect(effect);
    if (effect.kind === 'persist') {
      const { record } = effect;
      if (this.#records[0] !== undefined && this.#records[0].height !== record.height) this.#records = [];
      if (this.#records.length <= RECORDS_MAX) this.#records.push(record);
    } else if (effect.kind === 'publish' && effect.event.kind === 'committed') {
      const { state } = effect.event;
      const { lastCommit } = this.#rs;
      this.#open.onHeight(this.#rs.height);
      // Block sync decides heights without the machine.
      this.#base = lastCommit?.height === state.lastBlockHeight ? { state, lastCommit } : undefined;
    }
  }

  /** The running machine itself. */
  present(): Standing {
    const { createEmptyBlocksIntervalMs } = this.#parts.config;
    const waitsFor = [
      ...timersOf(this.#rs, createEmptyBlocksIntervalMs > 0),
      ...this.#open.texts(),
      ...this.#running.conflicts().map(conflictText),
    ];
    return { rs: this.#rs, waitsFor };
  }

  /** Where the log leads, if a try is due; an error text if the log cannot be replayed. */
  restored(now: Micros): Standing | string | undefined {
    if (!this.#isDue()) return undefined;
    const machine = new Consensus({ ...this.#parts, ...present(this.#base, 'asked when it is there') });
    const replayed = machine.replay(this.#records);
    if (!replayed.ok) return replayed.error.message;
    const waitsFor: string[] = [];
    const out: Out = {
      effect(effect) {
        const text = askText(effect);
        if (text !== undefined) waitsFor.push(text);
      },
      notice(notice) {
        if (notice.kind === 'conflict') waitsFor.push(conflictText(notice.conflict));
      },
    };
    machine.step(now, { kind: 'start' }, out);
    return { rs: machine.rs, waitsFor };
  }

  #isDue(): boolean {
    const { height, step, round, proposalParts: parts, held } = this.#rs;
    const count = this.#records.length;
    if (this.#running.isResting()) return false;
    if (this.#base === undefined || nextHeight(this.#base.state) !== height) return false;
    if (count > RECORDS_MAX || this.#records[0]?.height !== height) return false;
    const isInParts = parts !== undefined && parts.header.total > 1;
    const isHurried = held.precommitTimer && step < STEP.precommit;
    const isDue =
      step === STEP.newRound ||
      (isInParts && ((parts.count > 0 && !parts.isComplete()) || step === STEP.commit)) ||
      round > 0 ||
      isHurried ||
      height % EVERY === 0;
    if (!isDue) return false;
    const place = `${height}/${round}/${step}/${isHurried}`;
    if (this.#tried.place === place) return false;
    const before = this.#tried.height === height ? this.#tried.records : 0;
    if (step < STEP.commit && count < before + before * Math.max(1 / GROWTH, before / LONG)) return false;
    this.#tried = { place, height, records: count };
    return true;
  }
}
