import { assert } from '../../core/lib/assert.ts';
import { compareText } from '../../core/lib/bytes.ts';
import { Sfc32 } from './prng.ts';

/** One million: probabilities are whole parts of it, so that no float decides anything. */
export const PPM = 1_000_000;

/** Above this a single 32-bit draw times n would not be exact in a double. */
const SINGLE_DRAW_MAX = 2 ** 21;

/** The first parts of the labels of a run's streams. */
export const CHOICE_GROUPS = [
  'link',
  'connection',
  'jitter',
  'sync',
  'sign',
  'app',
  'check',
  'ids',
  'crash',
  'disk',
  'timeline',
  'byzantine',
  'client',
  'peers',
  'pexLies',
  'checkers',
  'wires',
] as const;

/** Groups whose choices may all be 0. Ids have to differ. */
export const ZERO_GROUPS = CHOICE_GROUPS.filter((group) => group !== 'ids');

/** The group of `link/v1>v3/delay`, `timeline[0]/target`. */
export const groupOf = (label: string): string => (/^[^/[]*/.exec(label) as RegExpExecArray)[0];

export interface ChoicesOptions {
  readonly seed: string;
  /** Keep every choice made, for replay and shrinking. A seed alone already reproduces the run. */
  readonly record?: boolean;
  /** Choices to answer instead of the seed's, by label. When a list ends, its stream answers 0. */
  readonly replay?: ReadonlyMap<string, readonly number[]> | undefined;
  /** Labels whose every choice is 0, which by convention is the harmless one: least delay, no loss, no fault. */
  readonly zeroed?: ((label: string) => boolean) | undefined;
  /** Answers a stream's choices by other means than chance, as a schedule search does; undefined leaves it alone. */
  readonly steer?: ((label: string) => ((n: number) => number) | undefined) | undefined;
}

/** One named source of choices. Two streams never influence each other. */
export class ChoiceStream {
  readonly label: string;
  readonly #prng: Sfc32 | undefined;
  readonly #replay: readonly number[] | undefined;
  readonly #record: number[] | undefined;
  readonly #steer: ((n: number) => number) | undefined;
  #drawn = 0;

  constructor(
    label: string,
    prng: Sfc32 | undefined,
    replay: readonly number[] | undefined,
    record: number[] | undefined,
    steer?: (n: number) => number,
  ) {
    this.label = label;
    this.#prng = prng;
    this.#replay = replay;
    this.#record = record;
    this.#steer = steer;
  }

  /** A whole number 0..n-1; 0 is the harmless one. */
  choose(n: number): number {
    assert(Number.isSafeInteger(n) && n > 0, 'choose needs a positive whole n');
    const value = this.#draw(n);
    this.#drawn++;
    this.#record?.push(value);
    return value;
  }

  /** True with probability ppm / 1e6. A zeroed or exhausted stream always answers false. */
  chance(ppm: number): boolean {
    if (ppm <= 0) return false;
    return this.choose(PPM) >= PPM - ppm;
  }

  /** low..high, both included; the low end is the harmless one. */
  between(low: number, high: number): number {
    return high <= low ? low : low + this.choose(high - low + 1);
  }

  #draw(n: number): number {
    if (this.#replay !== undefined) return (this.#replay[this.#drawn] ?? 0) % n;
    if (this.#steer !== undefined) return this.#steer(n) % n;
    if (this.#prng === undefined) return 0;
    const low = this.#prng.next();
    if (n <= SINGLE_DRAW_MAX) return Math.floor((low * n) / 2 ** 32);
    return ((this.#prng.next() & 0x1fffff) * 2 ** 32 + low) % n;
  }
}

/**
 * Every random decision of a run. Streams are keyed by a label path such as `link/v1>v3/delay` and seeded from the
 * run's seed and that label alone, so taking one fault out of a scenario leaves the draws of all others as they were.
 */
export class Choices {
  readonly seed: string;
  readonly #options: ChoicesOptions;
  readonly #streams = new Map<string, ChoiceStream>();
  readonly #records = new Map<string, number[]>();

  constructor(options: ChoicesOptions) {
    this.seed = options.seed;
    this.#options = options;
  }

  stream(label: string): ChoiceStream {
    const known = this.#streams.get(label);
    if (known !== undefined) return known;
    const { record, replay, zeroed, steer, seed } = this.#options;
    const list: number[] | undefined = record === true ? [] : undefined;
    if (list !== undefined) this.#records.set(label, list);
    const isZeroed = zeroed?.(label) === true;
    const prng = isZeroed || replay !== undefined ? undefined : new Sfc32(seed, label);
    const stream = new ChoiceStream(
      label,
      prng,
      isZeroed ? undefined : replay && (replay.get(label) ?? []),
      list,
      isZeroed ? undefined : steer?.(label),
    );
    this.#streams.set(label, stream);
    return stream;
  }

  choose(label: string, n: number): number {
    return this.stream(label).choose(n);
  }

  /** The choice list of the run so far: label → choices in order, labels sorted. Empty unless recording. */
  recorded(): ReadonlyMap<string, readonly number[]> {
    return new Map([...this.#records].sort(([a], [b]) => compareText(a, b)));
  }
}
