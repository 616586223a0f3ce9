import { assert } from '../../core/lib/assert.ts';
import { SCENARIO_NAME_MAX } from '../scenario/names.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { Choices } from '../world/choices.ts';

/** Most nodes of a twins scenario: with more, the partitions of one round alone are too many to try. */
export const TWINS_NODES_MAX = 12;

/** Which nodes reach each other in one round: those of the first group, and all others. */
type Partition = readonly (readonly string[])[];

/** One case: the place in the rotation of proposers where its partitions begin, and one partition per round. */
export interface TwinsCase {
  readonly index: bigint;
  readonly height: number;
  readonly rounds: readonly Partition[];
}

/** Without a quorum no round ends. Then the partition ends, after a little more than a round's time-outs. */
const ROUND = '6s';

/** First height with a partition: a commit to build on exists by then. */
const FIRST_HEIGHT = 2;

/**
 * Every way to split validators and twins in two groups, or not at all, in each of so many rounds, under every leader:
 * partitions × rounds × places in the proposers' rotation (Twins, OPODIS'21). Twins of one key are interchangeable, so
 * of cases that differ only in the names of twins one is kept.
 */
export class TwinsSpace {
  readonly #partitions: readonly Partition[];
  readonly #rounds: number;
  readonly #leaders: number;

  constructor({ validators, twins }: Scenario) {
    const names = validators.map(({ name }) => name);
    assert(names.length <= TWINS_NODES_MAX, 'few enough nodes');
    const keys = new Map(validators.map(({ name, twinOf }) => [name, twinOf ?? name]));
    this.#partitions = partitionsOf(names, keys);
    this.#rounds = twins?.rounds ?? 1;
    this.#leaders =
      twins?.leaders === 'rotation' ? 1 : validators.filter((one) => one.twinOf === undefined).length;
  }

  /** Partitions of one round that differ in more than the names of twins. */
  get partitions(): number {
    return this.#partitions.length;
  }

  get size(): bigint {
    return BigInt(this.#leaders) * BigInt(this.#partitions.length) ** BigInt(this.#rounds);
  }

  /** The case of this number, 0 to size - 1. */
  at(index: bigint): TwinsCase {
    let rest = index;
    const digit = (base: number): number => {
      const value = Number(rest % BigInt(base));
      rest /= BigInt(base);
      return value;
    };
    const height = FIRST_HEIGHT + digit(this.#leaders);
    const rounds = Array.from(
      { length: this.#rounds },
      () => this.#partitions[digit(this.#partitions.length)] as Partition,
    );
    return { index, height, rounds };
  }

  /** Numbers in the order in which they are tried: all of them in turn, or a random sample without repetition. */
  *order(sample: number | undefined, seed: string): Generator<bigint> {
    if (sample === undefined || BigInt(sample) >= this.size) {
      for (let i = 0n; i < this.size; i++) yield i;
      return;
    }
    const choices = new Choices({ seed: `twins/${seed}` });
    const seen = new Set<bigint>();
    while (seen.size < sample) {
      let index = 0n;
      for (let left = this.size; left > 0n; left >>= 20n)
        index = (index << 20n) | BigInt(choices.choose('index', 2 ** 20));
      index %= this.size;
      if (seen.has(index)) continue;
      seen.add(index);
      yield index;
    }
  }
}

/** Splits in at most two groups. Of splits that differ only in the names of twins one is kept. */
function partitionsOf(names: readonly string[], keys: ReadonlyMap<string, string>): readonly Partition[] {
  const found = new Map<string, Partition>();
  // The first node is always in the first group. The other masks only swap the groups.
  for (let mask = 0; mask < 2 ** (names.length - 1); mask++) {
    const second = names.filter((_, i) => i > 0 && (mask >> (i - 1)) & 1);
    const first = names.filter((name) => !second.includes(name));
    const shape = [first, second]
      .map((group) =>
        group
          .map((name) => keys.get(name) ?? name)
          .sort()
          .join(','),
      )
      .sort()
      .join('|');
    if (!found.has(shape)) found.set(shape, second.length === 0 ? [first] : [first, second]);
  }
  return [...found.values()];
}

/** Expectations that a shorter run cannot break. */
const KEPT_BY_SHORTER: readonly string[] = ['off', 'never', 'resources'];

const isKeptByShorter = (one: unknown): boolean =>
  typeof one === 'string' ||
  (typeof one === 'object' && one !== null && Object.keys(one).every((key) => KEPT_BY_SHORTER.includes(key)));

/**
 * The case as a scenario of its own: the text of the original with a timeline, so that it runs, replays and shrinks like
 * any other. Each round's partition begins when the first node enters the round; after the last one faults are over. The
 * case ends with the next height, unless the original expects something that may come later.
 */
export function twinsDocument(
  original: Readonly<Record<string, unknown>>,
  { index, height, rounds }: TwinsCase,
): Record<string, unknown> {
  const { search: _, timeline, ...rest } = original;
  const entries = rounds.flatMap((groups, round) => {
    const when = { height, round };
    const heal = { when, do: 'heal' };
    return groups.length === 1 ? [heal] : [heal, { when, do: { partition: groups }, for: ROUND }];
  });
  const end = { when: { height, round: rounds.length } };
  const expected = (original['expect'] ?? []) as readonly unknown[];
  return {
    ...rest,
    name: `${String(original['name']).slice(0, SCENARIO_NAME_MAX - 1 - String(index).length)}-${index}`,
    ...(expected.every(isKeptByShorter) ? { until: endingAfter(height, original['until']) } : {}),
    timeline: [
      ...((timeline ?? []) as readonly unknown[]),
      ...entries,
      { ...end, do: 'heal' },
      { ...end, do: 'gst' },
    ],
  };
}

/** What comes after the next height is the same in every case. */
function endingAfter(height: number, until: unknown): unknown {
  const next = { height: height + 1 };
  const isFirst = typeof until === 'object' && until !== null && 'first' in until;
  const own = isFirst ? (until.first as readonly unknown[]) : [until];
  const ends = own.filter((end) => JSON.stringify(end) !== JSON.stringify(next));
  return ends.length === 0 ? next : { first: [next, ...ends] };
}
