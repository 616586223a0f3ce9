import type { Failure } from '../../../sim/report.ts';

/** One run of a campaign, as a worker gets it. */
export interface SweepTask {
  /** The scenario file, `swarm`, or a case of a search. */
  readonly scenario: string;
  readonly text: string;
  readonly seed: string;
  /** The command line that does it again. */
  readonly again: string;
  /** Run a second time: both have to have one digest. */
  readonly isTwice?: boolean;
  /** Depth of the search for an order of messages; undefined: delays are drawn. */
  readonly pct?: number;
}

/** What became of it. */
export interface SweepOutcome {
  readonly digest: string;
  readonly failures: readonly Failure[];
  /** Names of the nodes, to tell causes apart from names. */
  readonly names: readonly string[];
  /** As in the report of the run; results kept by an older version have none. */
  readonly neverHappened?: readonly string[];
  readonly virtualMicros: number;
  readonly events: number;
  readonly wallMs: number;
}
