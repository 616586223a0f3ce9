import { type Sizes, USUAL_SIZES } from '../lib/sizes.ts';
import type { RpcContext } from './context.ts';

/** Bytes written to all subscribers together before other work of the process runs: well under a millisecond. */
const TURN_BYTES = 256 * 1024;
/** Fixed cost of a write, expressed as bytes. */
const WRITE_BYTES = 4096;

/** A writer that waits for its turn. */
export interface Paced {
  /** Writes as much as the pacer allows. It must call `later` again for the rest. */
  flush(): void;
}

/**
 * Divides writing into turns: a block for a thousand clients is written in many small slices, and consensus runs in
 * between. First come, first served.
 */
export class Pacer {
  readonly #pause: (() => Promise<void>) | undefined;
  readonly #turnBytes: number;
  #waiting = new Set<Paced>();
  #left: number;
  #isPausing = false;

  /** Without `pause`, everything may be written at once. */
  constructor(pause: (() => Promise<void>) | undefined, sizes: Sizes = USUAL_SIZES) {
    this.#pause = pause;
    this.#turnBytes = sizes.bytesAtOnce(TURN_BYTES);
    this.#left = this.#turnBytes;
  }

  /** Whether this many bytes may be written now. */
  take(bytes: number): boolean {
    if (this.#pause === undefined) return true;
    this.#renewLater();
    if (this.#left <= 0) return false;
    this.#left -= bytes + WRITE_BYTES;
    return true;
  }

  /** Calls `flush` when it is this writer's turn. */
  later(paced: Paced): void {
    this.#waiting.add(paced);
    this.#renewLater();
  }

  #renewLater(): void {
    if (this.#isPausing) return;
    this.#isPausing = true;
    this.#pause?.().then(() => this.#turn());
  }

  #turn(): void {
    this.#isPausing = false;
    this.#left = this.#turnBytes;
    for (const paced of this.#waiting) {
      if (this.#left <= 0) return this.#renewLater();
      this.#waiting.delete(paced);
      paced.flush();
    }
  }
}

const known = new WeakMap<RpcContext, Pacer>();

/** The node's pacer, shared by all websockets. */
export function pacerOf(ctx: RpcContext): Pacer {
  const found = known.get(ctx) ?? new Pacer(ctx.pause, ctx.sizes);
  known.set(ctx, found);
  return found;
}
