import type { Micros } from '../types/ids.ts';

/** After each window, earlier observations count half. */
const WINDOW_MICROS: Micros = 10_000_000;

/**
 * Measures how fast blocks take transactions, while more are waiting than a block takes. As long as blocks take all,
 * how much more they could take is unknown, and there is no estimate.
 */
export class Inclusion {
  /** Time of the block that began the measurement. */
  #since: Micros | undefined;
  #included = 0;
  /** Time of the newest block. */
  #last: Micros = 0;

  /** A block was committed: it took `included` transactions, and `waiting` more that it could have taken remain. */
  onBlock(now: Micros, included: number, waiting: number): void {
    this.#last = now;
    if (waiting <= included) {
      this.#since = undefined;
      return;
    }
    // The first such block only begins the measurement. So does a clock that was set back.
    if (this.#since === undefined || now < this.#since) {
      this.#since = now;
      this.#included = 0;
      return;
    }
    this.#included += included;
    if (now - this.#since <= WINDOW_MICROS) return;
    this.#since = now - Math.floor((now - this.#since) / 2);
    this.#included = Math.floor(this.#included / 2);
  }

  /** The estimated wait behind `ahead` other transactions; undefined without an estimate. */
  waitMicros(ahead: number): Micros | undefined {
    if (this.#since === undefined || this.#included === 0) return undefined;
    return Math.floor((ahead * (this.#last - this.#since)) / this.#included);
  }
}
