/** What the machine gives and the core must not take by itself: time, randomness, a pause. */
import { randomBytes } from 'node:crypto';
import type { Bytes } from '../core/lib/bytes.ts';
import type { Pause } from '../core/types/app.ts';
import type { Micros, Millis } from '../core/types/ids.ts';

/** The wall clock, to the millisecond; steps when the operator or NTP steps it. */
export const systemNow = (): Micros => Date.now() * 1000;

/** 16 unpredictable bytes. */
export const randomId = (): Bytes => new Uint8Array(randomBytes(16));

/** setTimeout fires at once above this. */
export const TIMEOUT_MS_MAX = 2 ** 31 - 1;

/** setTimeout that ends early rather than at once where it cannot wait so long. */
export const startTimer = (call: () => void, ms: Millis): NodeJS.Timeout =>
  setTimeout(call, Math.min(ms, TIMEOUT_MS_MAX));

/** Calls once after so many milliseconds, 24 days at most; the function returned prevents it. */
export function callAfter(ms: Millis, call: () => void): () => void {
  const timer = startTimer(call, ms);
  timer.unref();
  return () => clearTimeout(timer);
}

/** Longest that work in pieces keeps the thread from sockets, timers and disk. */
const SLICE_MS = 8;

/**
 * Lets pending socket and disk events run, unless they have just run: a turn of the event loop for each piece would give
 * most of the time to whoever sends much, while a block waits for its next transaction.
 */
export function slicedPause(): Pause {
  let resumed = Number.NEGATIVE_INFINITY;
  return async () => {
    if (performance.now() - resumed < SLICE_MS) return;
    await new Promise((resolve) => setImmediate(resolve));
    resumed = performance.now();
  };
}
