import type { Micros } from '../../core/types/ids.ts';

/** Microseconds that never step back, so that no deadline of a connection moves when the wall clock does. */
export const steadyNow = (): Micros => Math.floor((performance.timeOrigin + performance.now()) * 1000);
