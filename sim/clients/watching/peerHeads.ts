import type { Process } from '../../machine/process.ts';
import type { World } from '../../world/world.ts';

/** Time after which a node knows where a peer stands: peers repeat it every two seconds. */
const TOLD_MICROS = 3_000_000;
/** How many blocks a node has to be behind its peers before it must say that it is syncing. */
const BEHIND_MIN = 3;

interface Look {
  readonly at: number;
  /** Head of the watched node. */
  readonly head: number;
  /** Heads of all processes by index; 0 for those that are not correct or not up. */
  readonly heads: readonly number[];
}

/**
 * How far one node's peers are, as far as the node must know. A node that fetches old blocks has to say that it is
 * syncing.
 */
export class PeerHeads {
  readonly #world: World;
  readonly #node: Process;
  /** The newest look that is old enough, and all later ones. */
  #looks: readonly Look[] = [];

  constructor(world: World, node: Process) {
    this.#world = world;
    this.#node = node;
  }

  /**
   * Looks again. If the node is fetching blocks, returns the highest head that it must know of and that is far above
   * its own.
   */
  look(head: number): number | undefined {
    const { now, processes } = this.#world;
    const before = this.#looks.at(-1)?.head ?? 0;
    const old = this.#looks.findLast(({ at }) => at <= now - TOLD_MICROS);
    const heads = processes.map(({ node, isCorrect }) => (isCorrect ? (node?.rpc?.chain.head() ?? 0) : 0));
    const later = this.#looks.filter(({ at }) => at > now - TOLD_MICROS);
    this.#looks = [...(old === undefined ? [] : [old]), ...later, { at: now, head, heads }];
    if (old === undefined || before === 0 || head <= before) return undefined;
    const others = Math.max(0, ...old.heads.filter((_, other) => this.#hasMet(other, old.at)));
    return others >= head + BEHIND_MIN ? others : undefined;
  }

  /** Whether the two nodes have been connected ever since, with nothing between them. */
  #hasMet(other: number, at: number): boolean {
    const { network } = this.#world;
    const own = this.#node.index;
    if (other === own || !network.joins(own, other)) return false;
    const since = network.joinedSince(own, other);
    return since !== undefined && since <= at;
  }
}
