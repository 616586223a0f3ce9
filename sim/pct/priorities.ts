import { type ChoiceStream, Choices } from '../world/choices.ts';

/** Messages of one run among which the priorities change. A run may have fewer. */
const STEPS_MAX = 2_000;

/**
 * Probabilistic concurrency testing (Burckhardt et al., ASPLOS 2010) over links instead of threads. Every link has a
 * random priority: the higher it is, the sooner its messages arrive. At depth - 1 random messages of the run, the link
 * that sends falls behind all others. The probability of meeting a bug that needs `depth` orderings does not shrink
 * with the length of the run.
 */
export class LinkPriorities {
  readonly #dice: ChoiceStream;
  readonly #changes: ReadonlySet<number>;
  /** Highest first. */
  readonly #order: string[] = [];
  #sent = 0;

  constructor(choices: Choices, depth: number) {
    this.#dice = choices.stream('pct/priority');
    const points = choices.stream('pct/change');
    this.#changes = new Set(Array.from({ length: Math.max(0, depth - 1) }, () => points.choose(STEPS_MAX)));
  }

  /** Answers the delays of links by their rank. Other choices are left to chance. */
  readonly steer = (label: string): ((n: number) => number) | undefined =>
    /^link\/[^/]+\/delay$/.test(label) ? (n) => this.#delay(label, n) : undefined;

  #delay(label: string, n: number): number {
    if (!this.#order.includes(label)) this.#order.splice(this.#dice.choose(this.#order.length + 1), 0, label);
    if (this.#changes.has(this.#sent++)) {
      this.#order.splice(this.#order.indexOf(label), 1);
      this.#order.push(label);
    }
    const rank = this.#order.indexOf(label);
    return this.#order.length < 2 ? 0 : Math.floor((rank * (n - 1)) / (this.#order.length - 1));
  }
}

/** Decides the delays of links for a seed. */
export const steerByPriority = (seed: string, depth: number): LinkPriorities['steer'] =>
  new LinkPriorities(new Choices({ seed: `pct/${seed}` }), depth).steer;
