import type { Process } from '../machine/process.ts';
import type { SimNode } from '../machine/simNode.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { totalOf } from '../schedule.ts';
import type { Fact } from '../world/facts.ts';
import type { CheckerContext } from './checker.ts';

/** How often the core is determined again for changes that no fact announces, such as the end of a clog. */
const LOOK_MICROS = 1_000_000;

/**
 * The nodes that can make progress by themselves at this moment, as far as an omniscient observer knows (TigerBeetle's
 * VOPR asks the same before it calls a stall a bug): correct nodes on sound drives that reach each other, if need be
 * through other such nodes, over links that can carry what is sent, and together have more than two thirds of the power.
 * Byzantine nodes are not counted on. Empty if there is no such group.
 */
export function coreOf({ correct, cluster, world, scenario }: CheckerContext): ReadonlySet<Process> {
  // A node in seed mode hangs up as soon as it has told addresses.
  const seeds = scenario.peers?.seedMode === true ? scenario.peers.seeds : [];
  const left = new Set(
    correct.filter(({ name, state, disk }) => state === 'up' && isSound(disk) && !seeds.includes(name)),
  );
  const isOverloaded = ({ index: a }: Process, { index: b }: Process): boolean =>
    world.network.link(a, b).isOverloaded(world.now) || world.network.link(b, a).isOverloaded(world.now);
  const isScarce = arePeersScarce(scenario);
  const isJoined = ({ index: a }: Process, { index: b }: Process): boolean =>
    world.network.joins(a, b) && (!isScarce || world.network.joinedSince(a, b) !== undefined);
  // The voters of the block after the newest.
  const voters = cluster.schedule.voters(
    correct.reduce((most, { decided }) => Math.max(most, decided), 0) + 1,
  );
  for (const first of left) {
    const group = new Set([first]);
    left.delete(first);
    for (const one of group) {
      for (const other of left) {
        if (!isJoined(one, other) || isOverloaded(one, other)) continue;
        group.add(other);
        left.delete(other);
      }
    }
    const names = new Set([...group].map(({ name }) => name));
    const power = totalOf(voters.filter(({ name }) => names.has(name)));
    if (3n * power > 2n * totalOf(voters)) return group;
  }
  return new Set();
}

/** A node may find all places at its peers taken, so that it has nobody to connect with. */
const arePeersScarce = ({ peers, validators, nodes }: Scenario): boolean =>
  peers !== undefined && peers.inboundMax < validators.length + nodes.length - 1;

export const isSound = ({ isFull, isSlow, failsNext, isDamaged }: Process['disk']): boolean =>
  !isFull && !isSlow && !failsNext && !isDamaged;

/** The drive is sound, and the WAL takes what the node signs at once. */
export const isPrompt = ({ disk, pace }: Pick<Process, 'disk' | 'pace'>): boolean =>
  isSound(disk) && pace.sync === undefined;

/** The longest sync of a log of normal speed, with a margin. */
const SYNC_MICROS = 3_000;

/** How long what a node hears now may wait for what it heard before. It may handle little between two syncs. */
export const queueMicros = (
  { node }: { readonly node: Pick<SimNode, 'backlog'> | undefined },
  { engine: { sizesMax = Number.POSITIVE_INFINITY } }: Pick<Scenario, 'engine'>,
): number => Math.ceil((node?.backlog() ?? 0) / sizesMax) * SYNC_MICROS;

/** How long a node was in the core, and how often it joined it. */
export interface TimeInCore {
  readonly micros: number;
  readonly times: number;
}

/** Adds up, for each node, the virtual time in which nothing but the node itself could keep it from making progress. */
export class TimesInCore {
  static readonly TOPICS = ['stable', 'fault', 'started', 'crashed', 'halted', 'moved'] as const;
  readonly #context: CheckerContext;
  readonly #had = new Map<Process, TimeInCore>();
  #core: ReadonlySet<Process> = new Set();
  #since = 0;

  constructor(context: CheckerContext) {
    this.#context = context;
  }

  on(fact: Fact): void {
    const { now } = this.#context.world;
    if (fact.kind === 'stable') {
      this.#had.clear();
      this.#core = new Set();
      this.#since = now;
    }
    const isNews = fact.kind === 'fault' || fact.kind === 'stable' || isAboutLives(fact);
    if (isNews || (fact.kind === 'moved' && now - this.#since >= LOOK_MICROS)) this.#look();
  }

  /** Up to now. */
  of(node: Process): TimeInCore {
    this.#look();
    return this.#had.get(node) ?? { micros: 0, times: 0 };
  }

  #look(): void {
    const { now } = this.#context.world;
    const core = coreOf(this.#context);
    for (const node of core) {
      const { micros, times } = this.#had.get(node) ?? { micros: 0, times: 0 };
      // Time between two looks counts if the node was in the core at both.
      const wasIn = this.#core.has(node);
      this.#had.set(node, {
        micros: micros + (wasIn ? now - this.#since : 0),
        times: times + (wasIn ? 0 : 1),
      });
    }
    this.#core = core;
    this.#since = now;
  }
}

const isAboutLives = ({ kind }: Fact): boolean =>
  kind === 'started' || kind === 'crashed' || kind === 'halted';
