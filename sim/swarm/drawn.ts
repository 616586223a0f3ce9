import type { Choices } from '../choices.ts';

/** What the parts of a world know of it when they are drawn. */
export interface Drawn {
  readonly choices: Choices;
  readonly names: readonly string[];
  /** Names of those that lie; less than a third of the power. */
  readonly liars: readonly string[];
  readonly correct: readonly string[];
  /** Faults begin before this virtual second; afterwards the cluster has all the time it needs. */
  readonly troubleSeconds: number;
  /** The height before the first. */
  readonly before: number;
}
