import type { BlockEnv } from '../../../app/evm/engine.ts';
import type { Frame, FrameEnd, Step, TraceState, TxEnd, TxStart } from '../../../types/trace.ts';
import type { Tracer } from './tracer.ts';

/** Runs several tracers on one execution. */
export class MuxTracer implements Tracer {
  readonly #tracers: readonly (readonly [string, Tracer])[];

  constructor(tracers: readonly (readonly [string, Tracer])[]) {
    this.#tracers = tracers;
  }

  start(tx: TxStart, state: TraceState, env: BlockEnv): void {
    for (const [, tracer] of this.#tracers) tracer.start?.(tx, state, env);
  }

  enter(frame: Frame): void {
    for (const [, tracer] of this.#tracers) tracer.enter?.(frame);
  }

  exit(end: FrameEnd): void {
    for (const [, tracer] of this.#tracers) tracer.exit?.(end);
  }

  step(step: Step, state: TraceState): void {
    for (const [, tracer] of this.#tracers) tracer.step?.(step, state);
  }

  end(tx: TxEnd, state: TraceState): void {
    for (const [, tracer] of this.#tracers) tracer.end?.(tx, state);
  }

  get size(): number {
    return this.#tracers.reduce((sum, [, tracer]) => sum + tracer.size, 0);
  }

  result(): unknown {
    return Object.fromEntries(this.#tracers.map(([name, tracer]) => [name, tracer.result()]));
  }
}
