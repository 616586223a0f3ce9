/** Time that passes, in µs, by a wall clock that may be set back: while it is, nothing passes. Begins at what the wall clock first shows. */
export class SteadyClock {
  #wall: number | undefined;
  #now = 0;

  at(wall: number): number {
    this.#now += this.#wall === undefined ? wall : Math.max(0, wall - this.#wall);
    this.#wall = wall;
    return this.#now;
  }
}
