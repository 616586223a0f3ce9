import type { Micros } from '../types/ids.ts';

/** `burst` at once, then one more every `everyMicros`. */
export interface AllowanceLimits {
  readonly burst: number;
  readonly everyMicros: Micros;
}

/** Limits how often something is done (leaky bucket in its virtual scheduling form, ITU-T I.371 annex A). */
export class Allowance {
  readonly #every: Micros;
  /** Time to refill after a full burst. */
  readonly #whole: Micros;
  /** When the allowance will be full again. */
  #fullAt: Micros;

  constructor(now: Micros, { burst, everyMicros }: AllowanceLimits) {
    this.#every = everyMicros;
    this.#whole = burst * everyMicros;
    this.#fullAt = now;
  }

  isSpent(now: Micros): boolean {
    // If the clock was set back, the allowance is at worst empty.
    this.#fullAt = Math.min(Math.max(this.#fullAt, now), now + this.#whole);
    return this.#fullAt + this.#every > now + this.#whole;
  }

  /** Takes one. Returns false and takes nothing if the allowance is spent. */
  take(now: Micros): boolean {
    if (this.isSpent(now)) return false;
    this.charge(1);
    return true;
  }

  /** Takes what was already used, even if it is more than what is left. */
  charge(count: number): void {
    this.#fullAt += count * this.#every;
  }
}
