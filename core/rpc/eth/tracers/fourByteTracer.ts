import { to0xHex, toHex } from '../../../lib/bytes.ts';
import type { Frame } from '../../../types/trace.ts';
import type { Tracer, TracerContext } from './tracer.ts';

const KEY_CHARS = 24;

/** Counts function selectors together with the size of the arguments: `0x27dc297e-128` → 1. */
export class FourByteTracer implements Tracer {
  readonly #context: TracerContext;
  readonly #counts = new Map<string, number>();

  constructor(context: TracerContext) {
    this.#context = context;
  }

  enter({ kind, input, to }: Frame): void {
    if (input.length < 4 || kind.startsWith('CREATE') || kind === 'SELFDESTRUCT') return;
    if (this.#context.isPrecompile(toHex(to))) return;
    const key = `${to0xHex(input.subarray(0, 4))}-${input.length - 4}`;
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  get size(): number {
    return this.#counts.size * KEY_CHARS;
  }

  result(): unknown {
    return Object.fromEntries(this.#counts);
  }
}
