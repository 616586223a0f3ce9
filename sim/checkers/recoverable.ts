import type { Process } from '../machine/process.ts';
import { totalOf } from '../schedule.ts';
import type { Fact } from '../world/facts.ts';
import type { CheckerContext } from './checker.ts';

/** Between two looks at what no fact announces, such as the end of a clog. */
const LOOK_MICROS = 1_000_000;

/**
 * Who could go on by themselves at this moment, by all that an omniscient observer knows (as TigerBeetle's VOPR asks
 * before it calls a stall a bug): correct nodes that run on a sound drive and reach each other, over others of their kind
 * if need be, with more than two thirds of the power. Liars are not counted on. Empty when there are no such nodes.
 */
export function coreOf({ correct, cluster, world }: CheckerContext): ReadonlySet<Process> {
  const left = new Set(correct.filter(({ state, disk }) => state === 'up' && isSound(disk)));
  // Who votes on the block after the newest.
  const voters = cluster.schedule.voters(
    correct.reduce((most, { decided }) => Math.max(most, decided), 0) + 1,
  );
  for (const first of left) {
    const group = new Set([first]);
    left.delete(first);
    for (const one of group) {
      for (const other of left) {
        if (!world.network.joins(one.index, other.index)) continue;
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

export const isSound = ({ isFull, isSlow, failsNext, isDamaged }: Process['disk']): boolean =>
  !isFull && !isSlow && !failsNext && !isDamaged;

/** Its drive is sound, and what it signs is in its log at once. */
export const isPrompt = ({ disk, pace }: Pick<Process, 'disk' | 'pace'>): boolean =>
  isSound(disk) && pace.sync === undefined;

/** How long a node was among those who could go on, and how often it came to be. */
export interface Chance {
  readonly micros: number;
  readonly times: number;
}

/** Adds up, for each node, the virtual time in which nothing but the node itself could keep it from going on. */
export class Chances {
  /** What it is to be told of. */
  static readonly TOPICS = ['stable', 'fault', 'started', 'crashed', 'halted', 'moved'] as const;
  readonly #context: CheckerContext;
  readonly #had = new Map<Process, Chance>();
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
  of(node: Process): Chance {
    this.#look();
    return this.#had.get(node) ?? { micros: 0, times: 0 };
  }

  #look(): void {
    const { now } = this.#context.world;
    const core = coreOf(this.#context);
    for (const node of core) {
      const { micros, times } = this.#had.get(node) ?? { micros: 0, times: 0 };
      // What was in between two looks counts if it held at both.
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
