import type { Micros } from '../../core/types/ids.ts';

/** Monotonic time in microseconds: deadlines of connections do not move when the wall clock is set. */
export const steadyNow = (): Micros => Math.floor((performance.timeOrigin + performance.now()) * 1000);
