import type { Micros } from '../types/ids.ts';

/** Time that passes, by a wall clock that may be set back: while it is, nothing passes. Begins at what the wall clock first shows. */
export class SteadyClock {
  #wall: Micros | undefined;
  #now: Micros = 0;

  at(wall: Micros): Micros {
    this.#now += this.#wall === undefined ? wall : Math.max(0, wall - this.#wall);
    this.#wall = wall;
    return this.#now;
  }
}
