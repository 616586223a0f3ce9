import type { ConsensusOptions } from '../../core/consensus/contract.ts';
import { Consensus } from '../../core/consensus/machine.ts';
import type { Effect, LogRecord } from '../../core/node/contract.ts';
import type { Commit } from '../../core/types/block.ts';
import { STEP } from '../../core/types/messages.ts';
import type { RoundState } from '../../core/types/roundState.ts';
import type { ChainState } from '../../core/types/state.ts';

/** Heights that went as they should are tried so rarely; those with a second round, blocks of several parts, and waits for transactions, always. */
const EVERY = 8;
/** Of one height; longer logs are not tried. */
const RECORDS_MAX = 4_000;

/** What a machine is made with, but for where its chain stands. */
export type ShadowParts = Omit<ConsensusOptions, 'state' | 'lastCommit'>;

interface Base {
  readonly state: ChainState;
  readonly lastCommit: Commit | undefined;
}

/**
 * What a restart at this very moment would make of the log: a second machine, on the state that the height began with, fed with
 * the records that the first has made. Heights of which a life has not seen the beginning have no shadow.
 */
export class Shadow {
  readonly #rs: RoundState;
  readonly #parts: ShadowParts;
  #base: Base | undefined;
  #records: LogRecord[] = [];
  /** Where it was tried last. */
  #tried = { height: 0, step: 0 };

  constructor(rs: RoundState, parts: ShadowParts) {
    this.#rs = rs;
    this.#parts = parts;
  }

  note(effect: Effect): void {
    if (effect.kind === 'persist') {
      const { record } = effect;
      if (this.#records[0] !== undefined && this.#records[0].height !== record.height) this.#records = [];
      if (this.#records.length <= RECORDS_MAX) this.#records.push(record);
    } else if (effect.kind === 'publish' && effect.event.kind === 'committed') {
      const { state } = effect.event;
      const { lastCommit } = this.#rs;
      // Block sync decides without the machine.
      this.#base = lastCommit?.height === state.lastBlockHeight ? { state, lastCommit } : undefined;
    }
  }

  /** The state that the log gives back, when it is time to ask; an error text when it cannot be read. */
  restored(): RoundState | string | undefined {
    const { height, step, round, proposalParts: parts } = this.#rs;
    const isInParts = parts !== undefined && parts.header.total > 1;
    const isDue =
      step === STEP.newRound ||
      (isInParts && parts.count > 0 && !parts.isComplete()) ||
      (step === STEP.commit && (round > 0 || isInParts || height % EVERY === 0));
    if (!isDue || (this.#tried.height === height && this.#tried.step === step)) return undefined;
    if (this.#base?.state.lastBlockHeight !== height - 1) return undefined;
    if (this.#records.length > RECORDS_MAX || this.#records[0]?.height !== height) return undefined;
    this.#tried = { height, step };
    const machine = new Consensus({ ...this.#parts, ...this.#base });
    const replayed = machine.replay(this.#records);
    return replayed.ok ? machine.rs : replayed.error.message;
  }
}
