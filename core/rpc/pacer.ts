import { type Sizes, USUAL_SIZES } from '../lib/sizes.ts';
import type { RpcContext } from './context.ts';

/** Written to all subscribers together before others of the process have their turn: well under a millisecond. */
const TURN_BYTES = 256 * 1024;
/** What a write costs whatever its length, in bytes of one that is long. */
const WRITE_BYTES = 4096;

/** Someone who has more to write. */
export interface Paced {
  /** Writes while the pacer lets it; asks it again for what is left. */
  flush(): void;
}

/**
 * Deals out turns: a block that a thousand clients wait for is written to them in many small slices, between which
 * consensus goes on. First come, first served.
 */
export class Pacer {
  readonly #pause: (() => Promise<void>) | undefined;
  readonly #turnBytes: number;
  #waiting = new Set<Paced>();
  #left: number;
  #isPausing = false;

  /** Without a pause everything may be written at once. */
  constructor(pause: (() => Promise<void>) | undefined, sizes: Sizes = USUAL_SIZES) {
    this.#pause = pause;
    this.#turnBytes = sizes.bytesAtOnce(TURN_BYTES);
    this.#left = this.#turnBytes;
  }

  /** Whether so many bytes may be written now. */
  take(bytes: number): boolean {
    if (this.#pause === undefined) return true;
    this.#renewLater();
    if (this.#left <= 0) return false;
    this.#left -= bytes + WRITE_BYTES;
    return true;
  }

  /** `flush` is called when it is this one's turn. */
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

/** One a node, for all websockets. */
export function pacerOf(ctx: RpcContext): Pacer {
  const found = known.get(ctx) ?? new Pacer(ctx.pause, ctx.sizes);
  known.set(ctx, found);
  return found;
}
