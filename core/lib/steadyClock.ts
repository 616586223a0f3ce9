/**
 * Monotonic time in µs, derived from a wall clock that may be set back; a step back counts as no time. Starts at the
 * first wall time.
 */
export class SteadyClock {
  #wall: number | undefined;
  #now = 0;

  at(wall: number): number {
    this.#now += this.#wall === undefined ? wall : Math.max(0, wall - this.#wall);
    this.#wall = wall;
    return this.#now;
  }
}
