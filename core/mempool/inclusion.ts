import type { Micros } from '../types/ids.ts';

/** What was seen longer ago than this counts half, and so on. */
const WINDOW_MICROS: Micros = 10_000_000;

/**
 * How fast blocks take transactions while more wait than a block takes. As long as blocks take all there is, nobody
 * knows how much more they could take, and nothing is said.
 */
export class Inclusion {
  /** Of the block since which transactions were left over. */
  #since: Micros | undefined;
  #included = 0;
  /** Of the newest block. */
  #last: Micros = 0;

  /** A block was committed; it took so many, and so many that it could have taken still wait. */
  onBlock(now: Micros, included: number, waiting: number): void {
    this.#last = now;
    if (waiting <= included) {
      this.#since = undefined;
      return;
    }
    // The first block only begins the measurement; so does a clock that was set back.
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

  /** How long one waits with so many before it, by what was seen; undefined when that says nothing. */
  waitMicros(ahead: number): Micros | undefined {
    if (this.#since === undefined || this.#included === 0) return undefined;
    return Math.floor((ahead * (this.#last - this.#since)) / this.#included);
  }
}
