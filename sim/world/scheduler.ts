import type { Choices } from './choices.ts';
import type { SimEvent } from './heap.ts';

/** Virtual time and choices, as parts of the world need them. */
export interface Scheduler {
  /** Virtual microseconds since the run's start. */
  readonly now: number;
  readonly choices: Choices;
  /** Runs `fire` at virtual time `at`, after whatever was scheduled earlier for the same time. */
  schedule(at: number, fire: () => Promise<void> | undefined): void;
  /** The same for an event that is an object already. */
  add(event: SimEvent): void;
}
