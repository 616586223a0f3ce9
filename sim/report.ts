/** What a run of a scenario comes back with; the command line prints it, tests and sweeps compare it. */

export interface Failure {
  /** Name of the checker, e.g. `agreement`. */
  readonly checker: string;
  readonly message: string;
  /** Virtual microseconds since the run's start. */
  readonly at: number;
}

export interface NodeReport {
  readonly name: string;
  readonly state: 'up' | 'down' | 'paused' | 'halted';
  readonly isCorrect: boolean;
  /** Highest decided height. */
  readonly height: number;
  /** How often the process was started. */
  readonly lives: number;
  /** Why it is halted. */
  readonly haltReason?: string;
}

export interface RunStats {
  /** Virtual microseconds that passed. */
  readonly virtualMicros: number;
  readonly events: number;
  readonly framesSent: number;
  readonly bytesSent: number;
  readonly framesLost: number;
  readonly resets: number;
  /** Highest round that any correct node entered. */
  readonly roundMax: number;
  readonly evidence: number;
  readonly txsSent: number;
  readonly txsConfirmed: number;
}

export interface ScenarioReport {
  readonly name: string;
  readonly passed: boolean;
  readonly seed: string;
  /** 64 hex digits: SHA-256 over everything that happened. Equal runs have equal digests. */
  readonly digest: string;
  /** First failure of each checker first; at most FAILURES_MAX in all. */
  readonly failures: readonly Failure[];
  /** Standing promises that rest on less than a third of the power being faulty, when it is not. */
  readonly notJudged: readonly string[];
  /** Heights at which correct nodes have decided different blocks, whoever may be blamed; at most FORKS_MAX. */
  readonly forks: readonly string[];
  /** Entries of the timeline and of Byzantine nodes whose time never came, or that changed nothing. */
  readonly neverHappened: readonly string[];
  readonly nodes: readonly NodeReport[];
  readonly stats: RunStats;
}

export const FAILURES_MAX = 100;
export const FORKS_MAX = 3;
