import type { Choices } from '../world/choices.ts';
import type { Rarely } from './pick.ts';
import type { Powers } from './powers.ts';
import type { Scale } from './scale.ts';

/** What a world is drawn with. */
export interface Dice {
  readonly choices: Choices;
  readonly rarely: Rarely;
  readonly scale: Scale;
  /** Some values are at their least or greatest. */
  readonly isExtreme: boolean;
}

/** What the parts of a world know about it when they are drawn. */
export interface Drawn extends Dice {
  readonly names: readonly string[];
  /** Names of those that lie. They have less than a third of the power, unless there is a cartel. */
  readonly liars: readonly string[];
  readonly correct: readonly string[];
  /** Faults begin before this virtual second. Afterwards the cluster has all the time it needs. */
  readonly troubleSeconds: number;
  /** The height before the initial one. */
  readonly before: number;
  /** How many heights the run waits for. */
  readonly heights: number;
  /** Nodes that lag fetch blocks. */
  readonly isSynced: boolean;
  /** Nodes wait about as long as messages take. */
  readonly isContested: boolean;
  /** The powers at genesis, and after each update. */
  readonly stages: readonly Powers[];
}
