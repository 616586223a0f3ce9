import { OperatingError } from '../../operatingError.ts';
import type { SweepTask } from './task.ts';

const SEEDS_MAX = 100_000_000;

export interface SweptWorld {
  readonly scenario: string;
  textOf(seed: string): string;
  /** The file as it is; undefined for a world that was drawn. */
  readonly written?: string | undefined;
  /** The command line that runs it with this seed. */
  again(seed: string): string;
  /** Number of seeds that the file's own search asks for. */
  readonly runs?: number | undefined;
}

export interface SeedRange {
  readonly first: number;
  readonly count: number;
}

/** Parses `1..1000` or a single seed. */
export function seedRange(text: string): SeedRange {
  const match = /^(\d{1,15})(?:\.\.(\d{1,15}))?$/.exec(text);
  const [from, to] = [Number(match?.[1]), Number(match?.[2] ?? match?.[1])];
  if (match === null || to < from)
    throw new OperatingError(
      `--seeds: expected a range such as 1..1000, the smaller number first, or one number, found ${text || 'nothing'}`,
    );
  if (to - from >= SEEDS_MAX)
    throw new OperatingError(`--seeds: expected at most ${SEEDS_MAX} seeds, found ${text}`);
  return { first: from, count: to - from + 1 };
}

/** The runs of a sweep in order: all scenarios with the first seed, then all with the second, … */
export class Tasks {
  readonly total: number;
  readonly #worlds: readonly SweptWorld[];
  readonly #first: number;
  readonly #step: number;
  readonly #isTwice: boolean;
  #at: number;
  readonly #end: number;

  constructor(
    worlds: readonly SweptWorld[],
    { first, count: seeds }: SeedRange,
    shard: string | undefined,
    isTwice: boolean,
  ) {
    const part = shard === undefined ? ['', '1', '1'] : /^(\d{1,6})\/(\d{1,6})$/.exec(shard);
    const [index, count] = [Number(part?.[1]), Number(part?.[2])];
    if (!(index >= 1 && index <= count))
      throw new OperatingError(`--shard: expected one of n parts such as 1/4, found ${shard}`);
    this.#worlds = worlds;
    this.#isTwice = isTwice;
    this.#first = first;
    this.#step = count;
    this.#at = index - 1;
    this.#end = seeds * worlds.length;
    this.total = Math.max(0, Math.ceil((this.#end - this.#at) / count));
  }

  next(): SweepTask | undefined {
    if (this.#at >= this.#end) return undefined;
    const index = this.#at;
    this.#at += this.#step;
    const { scenario, textOf, again } = this.#worlds[index % this.#worlds.length] as SweptWorld;
    const seed = String(this.#first + Math.floor(index / this.#worlds.length));
    return { scenario, text: textOf(seed), seed, again: again(seed), isTwice: this.#isTwice };
  }
}
