import { assert } from '../../core/lib/assert.ts';
import type { Micros, Millis } from '../../core/types/ids.ts';

/** Drift is clamped by the scenario parser to ±this many parts per million, far beyond any real quartz. */
export const DRIFT_PPM_MAX = 500_000;

/** How late a timer may be at most: as on a busy machine, not as on one that stands still. */
export const JITTER_MICROS_MAX = 1_000_000;

/** A clock can be set to between this, in the year 2255, and minus this, in 1684: micros stay safe integers. */
const READING_MAX: Micros = 9_000_000_000_000_000;

/**
 * One node's idea of time. Skew and jumps move what `now` says. Drift changes both `now` and the length of timers, as a
 * fast quartz does. Jitter makes each timer late by a random time. Timers are monotonic: a jump neither fires nor
 * delays them.
 */
export class NodeClock {
  readonly #epoch: Micros;
  #base: Micros;
  #baseAt = 0;
  #driftPpm = 0;
  /** The sum of all steps by which it was set back. */
  #setBack = 0;
  /** How late each timer may be, in virtual µs. */
  jitter = 0;

  /** @param epoch Unix time in µs of virtual time 0. */
  constructor(epoch: Micros) {
    this.#epoch = epoch;
    this.#base = epoch;
  }

  /** What the node's clock says at virtual time `at`, µs since the Unix epoch. */
  now(at: number): Micros {
    const elapsed = at - this.#baseAt;
    if (this.#driftPpm === 0) return this.#base + elapsed;
    return this.#base + elapsed + Math.floor((elapsed * this.#driftPpm) / 1_000_000);
  }

  /** The reading as if the clock had never been set back, which therefore never decreases. */
  onward(at: number): Micros {
    return this.now(at) + this.#setBack;
  }

  /** Virtual microseconds that a timer of `ms` takes on this clock. */
  timerMicros(ms: Millis): number {
    const micros = ms * 1000;
    if (this.#driftPpm === 0) return micros;
    return Math.max(0, Math.floor((micros * 1_000_000) / (1_000_000 + this.#driftPpm)));
  }

  /**
   * Sets the offset from true time, in µs.
   * @returns Whether this has moved the clock.
   */
  skew(at: number, offset: number): boolean {
    return this.#rebase(at, this.#epoch + at + offset);
  }

  /**
   * Steps the clock by so many µs, forward or back.
   * @returns Whether this has moved the clock.
   */
  jump(at: number, by: number): boolean {
    return this.#rebase(at, this.now(at) + by);
  }

  /** @returns Whether the clock drifts otherwise than before. */
  drift(at: number, ppm: number): boolean {
    assert(Math.abs(ppm) <= DRIFT_PPM_MAX, 'drift out of range');
    const isChange = ppm !== this.#driftPpm;
    this.#rebase(at, this.now(at));
    this.#driftPpm = ppm;
    return isChange;
  }

  #rebase(at: number, asked: Micros): boolean {
    const was = this.now(at);
    const reading = Math.min(Math.max(asked, -READING_MAX), READING_MAX);
    this.#setBack += Math.max(0, was - reading);
    this.#base = reading;
    this.#baseAt = at;
    return reading !== was;
  }
}
