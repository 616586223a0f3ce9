import type { Failure, Unjudged } from '../../../sim/report.ts';

/** One run of a campaign, as sent to a worker. */
export interface SweepTask {
  /** The scenario file, `swarm`, or a generated case. */
  readonly scenario: string;
  readonly text: string;
  readonly seed: string;
  /** The command line that repeats the run. */
  readonly again: string;
  /** Run twice and require equal digests. */
  readonly isTwice?: boolean;
  /** Depth of the search for a message order; undefined means random delays. */
  readonly pct?: number;
}

/** The outcome of a run. */
export interface SweepOutcome {
  readonly digest: string;
  readonly failures: readonly Failure[];
  /** Node names, so that failures that differ only in names are grouped. */
  readonly names: readonly string[];
  /** As in the run's report. This and what follows is absent in results saved by an older version. */
  readonly neverHappened?: readonly string[];
  /** What the scenario expects and the run has not judged. */
  readonly notJudged?: readonly Unjudged[];
  /** Correct nodes decided different blocks. */
  readonly hasForked?: boolean;
  /** A correct node had stopped itself at the end. */
  readonly hasHalted?: boolean;
  readonly virtualMicros: number;
  readonly events: number;
  readonly wallMs: number;
}
