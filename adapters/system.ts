/** What the node gets from the machine, and the core must not access itself: time, randomness, a pause. */
import { randomBytes } from 'node:crypto';
import type { Bytes } from '../core/lib/bytes.ts';
import type { Pause } from '../core/types/app.ts';
import type { Micros, Millis } from '../core/types/ids.ts';

/** The wall clock with millisecond resolution; it jumps when the operator or NTP sets it. */
export const systemNow = (): Micros => Date.now() * 1000;

/** Monotonic time in microseconds, which does not jump when the wall clock is set: for deadlines. */
export const steadyNow = (): Micros => Math.floor((performance.timeOrigin + performance.now()) * 1000);

/** 16 unpredictable bytes. */
export const randomId = (): Bytes => new Uint8Array(randomBytes(16));

/** Above this, setTimeout fires at once. */
export const TIMEOUT_MS_MAX = 2 ** 31 - 1;

/** A timer that fires too early, instead of at once, if `ms` exceeds what setTimeout can wait. */
export const startTimer = (call: () => void, ms: Millis): NodeJS.Timeout =>
  setTimeout(call, Math.min(ms, TIMEOUT_MS_MAX));

/** Calls once after `ms`, at most 24 days; the returned function cancels it. */
export function callAfter(ms: Millis, call: () => void): () => void {
  const timer = startTimer(call, ms);
  timer.unref();
  return () => clearTimeout(timer);
}

/** Longest time that divided work keeps the thread from sockets, timers and disk. */
const SLICE_MS = 8;

/**
 * Lets pending socket and disk events run, unless they ran a moment ago: a turn of the event loop after each piece
 * would give most of the time to peers and clients that send much, while a block waits for its next transaction.
 */
export function slicedPause(): Pause {
  let resumed = Number.NEGATIVE_INFINITY;
  return async () => {
    if (performance.now() - resumed < SLICE_MS) return;
    await new Promise((resolve) => setImmediate(resolve));
    resumed = performance.now();
  };
}
