import type { Failure } from '../../../sim/report.ts';

/** One run of a campaign, as a worker gets it. */
export interface SweepTask {
  /** Place in the campaign: file by file within each seed. */
  readonly index: number;
  /** The scenario file, or `swarm`. */
  readonly scenario: string;
  readonly text: string;
  readonly seed: string;
  /** Run a second time: both have to have one digest. */
  readonly isTwice?: boolean;
}

/** What became of it. */
export interface SweepOutcome {
  readonly scenario: string;
  readonly seed: string;
  readonly digest: string;
  readonly failures: readonly Failure[];
  /** Names of the nodes, to tell causes apart from names. */
  readonly names: readonly string[];
  readonly virtualMicros: number;
  readonly events: number;
  readonly wallMs: number;
}
