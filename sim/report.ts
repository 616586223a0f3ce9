/** The result of a scenario run. The command line prints it; tests and sweeps compare it. */

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

/** A promise that a run has not judged. */
export interface Unjudged {
  /** The checker or expectation; `parts of` it where the rest was judged. */
  readonly promise: string;
  /** To be read after `as`. */
  readonly why: string;
  /** The scenario itself expects it. All others are standing promises. */
  readonly isNamed: boolean;
}

export interface ScenarioReport {
  readonly name: string;
  readonly passed: boolean;
  readonly seed: string;
  /** 64 hex digits: SHA-256 over everything that happened. Equal runs have equal digests. */
  readonly digest: string;
  /** In the order in which they happened; at most FAILURES_MAX. */
  readonly failures: readonly Failure[];
  /** Promises that nobody switched off and that this run says nothing about. */
  readonly notJudged: readonly Unjudged[];
  /** Heights at which correct nodes have decided different blocks, whoever is to blame; at most FORKS_MAX. */
  readonly forks: readonly string[];
  /** Entries of the file that never came due, or that changed nothing. Each begins with its place: `timeline[1] heal`. */
  readonly neverHappened: readonly string[];
  readonly nodes: readonly NodeReport[];
  readonly stats: RunStats;
}

export const FAILURES_MAX = 100;
export const FORKS_MAX = 3;
