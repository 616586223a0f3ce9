/** What the machine gives and the core must not take by itself: time, randomness, a pause. */
import { randomBytes } from 'node:crypto';
import type { Bytes } from '../core/lib/bytes.ts';
import type { Pause } from '../core/types/app.ts';
import type { Micros } from '../core/types/ids.ts';

/** The wall clock, to the millisecond; steps when the operator or NTP steps it. */
export const systemNow = (): Micros => Date.now() * 1000;

/** 16 unpredictable bytes. */
export const randomId = (): Bytes => new Uint8Array(randomBytes(16));

/** Lets pending socket and disk events run. */
export const immediatePause: Pause = () => new Promise((resolve) => setImmediate(resolve));
