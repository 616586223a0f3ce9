import type { Micros } from '../types/ids.ts';

/** A rate with one second of burst. Spending may go into debt; the owner waits until it is paid. */
export class TokenBucket {
  readonly #perSecond: number;
  #tokens: number;
  #at: Micros;

  constructor(now: Micros, perSecond: number) {
    this.#perSecond = perSecond;
    this.#tokens = perSecond;
    this.#at = now;
  }

  spend(now: Micros, amount: number): void {
    this.#refill(now);
    this.#tokens -= amount;
  }

  /** Microseconds until the bucket is no longer in debt. */
  debtMicros(now: Micros): Micros {
    this.#refill(now);
    return this.#tokens >= 0 ? 0 : Math.ceil((-this.#tokens * 1_000_000) / this.#perSecond);
  }

  #refill(now: Micros): void {
    if (now <= this.#at) return;
    const earned = Math.floor(((now - this.#at) * this.#perSecond) / 1_000_000);
    if (earned === 0) return;
    this.#tokens = Math.min(this.#perSecond, this.#tokens + earned);
    this.#at = now;
  }
}
