import type { World } from '../world/world.ts';
import type { Process } from './process.ts';

/** How late an answer may be that was asked for while the disk was in trouble. */
const AFTERMATH_MICROS = 5_000_000;

/** Which disks are in trouble, or were a moment ago. What was asked for then is late. */
export class Aftermath {
  readonly #world: Pick<World, 'now'>;
  readonly #seen = new Map<Process, number>();

  constructor(world: Pick<World, 'now'>) {
    this.#world = world;
  }

  /** To be called regularly: trouble that no call sees has no aftermath. */
  lasts(node: Process): boolean {
    const { isSlow, isFull, isDamaged } = node.disk;
    if (isSlow || isFull || isDamaged) this.#seen.set(node, this.#world.now);
    return this.#world.now - (this.#seen.get(node) ?? -AFTERMATH_MICROS) < AFTERMATH_MICROS;
  }
}
