import type { Micros } from '../types/ids.ts';

/** So many at once, and one more each `everyMicros`. */
export interface AllowanceLimits {
  readonly burst: number;
  readonly everyMicros: Micros;
}

/** Bounds how often something is done (the virtual scheduling form of a leaky bucket, ITU-T I.371 annex A). */
export class Allowance {
  readonly #every: Micros;
  /** What it takes to fill again after a burst. */
  readonly #whole: Micros;
  /** When all of it will be there. */
  #fullAt: Micros;

  constructor(now: Micros, { burst, everyMicros }: AllowanceLimits) {
    this.#every = everyMicros;
    this.#whole = burst * everyMicros;
    this.#fullAt = now;
  }

  isSpent(now: Micros): boolean {
    // A clock that was set back leaves it empty at worst.
    this.#fullAt = Math.min(Math.max(this.#fullAt, now), now + this.#whole);
    return this.#fullAt + this.#every > now + this.#whole;
  }

  /** False, and nothing taken, when it is spent. */
  take(now: Micros): boolean {
    if (this.isSpent(now)) return false;
    this.charge(1);
    return true;
  }

  /** Takes what was used already, be it more than is left. */
  charge(count: number): void {
    this.#fullAt += count * this.#every;
  }
}
