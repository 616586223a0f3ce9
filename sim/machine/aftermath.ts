import type { World } from '../world/world.ts';
import type { Process } from './process.ts';

/** What was asked of a drive in trouble may be answered so much later. */
const AFTERMATH_MICROS = 5_000_000;

/** Which drives are, or were a moment ago, in trouble: what was asked of them then is late. */
export class Aftermath {
  readonly #world: Pick<World, 'now'>;
  readonly #seen = new Map<Process, number>();

  constructor(world: Pick<World, 'now'>) {
    this.#world = world;
  }

  /** To be asked again and again: a trouble that nobody sees has no aftermath. */
  lasts(node: Process): boolean {
    const { isSlow, isFull, isDamaged } = node.disk;
    if (isSlow || isFull || isDamaged) this.#seen.set(node, this.#world.now);
    return this.#world.now - (this.#seen.get(node) ?? -AFTERMATH_MICROS) < AFTERMATH_MICROS;
  }
}
