import type { ChoiceStream } from '../world/choices.ts';

/** One connection between two nodes, as each end believes it to be. */
export class Connection {
  readonly a: number;
  readonly b: number;
  readonly choices: ChoiceStream;
  /** Counts connections of this pair; what was sent on an earlier one never arrives. */
  epoch = 0;
  /** The two nodes must not be connected. */
  isForbidden = false;
  #upAtA = false;
  #upAtB = false;
  #madeAt = 0;
  #attempts = 0;

  constructor(a: number, b: number, choices: ChoiceStream) {
    this.a = a;
    this.b = b;
    this.choices = choices;
  }

  isUp(end: number): boolean {
    return end === this.a ? this.#upAtA : this.#upAtB;
  }

  /** When it was made; undefined when an end has lost it. */
  get since(): number | undefined {
    return this.#upAtA && this.#upAtB ? this.#madeAt : undefined;
  }

  other(end: number): number {
    return end === this.a ? this.b : this.a;
  }

  lose(end: number): void {
    if (end === this.a) this.#upAtA = false;
    else this.#upAtB = false;
  }

  establish(now: number): void {
    this.epoch++;
    this.#madeAt = now;
    this.#upAtA = true;
    this.#upAtB = true;
  }

  /** A newer dial replaces an older one that has not connected yet. */
  newAttempt(): number {
    return ++this.#attempts;
  }

  isAttempt(attempt: number): boolean {
    return attempt === this.#attempts;
  }
}
