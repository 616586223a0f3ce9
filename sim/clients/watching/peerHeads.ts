import type { Process } from '../../machine/process.ts';
import type { World } from '../../world/world.ts';

/** In which a node has heard of where a peer stands: it says so again every two seconds. */
const TOLD_MICROS = 3_000_000;
/** Blocks that a node is behind its peers before it has to say so. */
const BEHIND_MIN = 3;

interface Look {
  readonly at: number;
  /** Of the node that is looked at. */
  readonly head: number;
  /** Of every process in order, 0 for those that are not correct or not up. */
  readonly heads: readonly number[];
}

/** How far the peers of one node are, as far as it must know: a node that is being given old blocks says that it has not all. */
export class PeerHeads {
  readonly #world: World;
  readonly #node: Process;
  /** The newest that is old enough, and those after it. */
  #looks: readonly Look[] = [];

  constructor(world: World, node: Process) {
    this.#world = world;
    this.#node = node;
  }

  /** Looks again; answers the highest head that a node must know of which is being given blocks far below it. */
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

  /** Connected since then, without anything between the two. */
  #hasMet(other: number, at: number): boolean {
    const { network } = this.#world;
    const own = this.#node.index;
    if (other === own || !network.joins(own, other)) return false;
    const since = network.joinedSince(own, other);
    return since !== undefined && since <= at;
  }
}
