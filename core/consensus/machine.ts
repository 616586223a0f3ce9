import { AssertionError } from '../lib/assert.ts';
import type { Result } from '../lib/result.ts';
import type { LogRecord } from '../node/contract.ts';
import type { Micros } from '../types/ids.ts';
import type { RoundState } from '../types/roundState.ts';
import type { ConsensusInput, ConsensusOptions, Out } from './contract.ts';
import type { LogError } from './log.ts';

/** The Tendermint machine of one node: synchronous, deterministic, told the time, never waiting. */
export class Consensus {
  /** A live view; always the same object. */
  readonly rs: RoundState;

  constructor(_options: ConsensusOptions) {
    throw new AssertionError('not built yet');
  }

  step(_now: Micros, _input: ConsensusInput, _out: Out): void {}

  /** Before `start`: feeds the log of heights above the stored state. Answers with the count of records used. */
  replay(_records: readonly LogRecord[]): Result<number, LogError> {
    throw new AssertionError('not built yet');
  }

  /** What input `start` does. */
  resume(now: Micros, out: Out): void {
    this.step(now, { kind: 'start' }, out);
  }
}
