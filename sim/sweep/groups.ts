import { compareText } from '../../core/lib/bytes.ts';
import type { Failure } from '../report.ts';
import { causeOf } from './cause.ts';

/** Runs listed for each group; all are counted. */
const EXAMPLES_MAX = 8;

/** One run of a campaign: which world, which seed. */
export interface RunName {
  /** The scenario file, or `swarm`. */
  readonly scenario: string;
  readonly seed: string;
  /** The command line that repeats it. */
  readonly again?: string;
}

export interface FailureGroup {
  readonly checker: string;
  /** See causeOf. */
  readonly cause: string;
  readonly count: number;
  /** The message of the first run of the group. */
  readonly message: string;
  readonly examples: readonly RunName[];
}

/** Failed runs of a campaign by checker and cause. A run counts once, under its first failure. */
export class FailureGroups {
  readonly #groups = new Map<string, { group: FailureGroup; examples: RunName[] }>();

  add(run: RunName, failures: readonly Failure[], names: readonly string[]): void {
    const first = failures[0];
    if (first === undefined) return;
    const cause = causeOf(first, names);
    const key = `${first.checker}\n${cause}`;
    const found = this.#groups.get(key);
    const examples = found?.examples ?? [];
    if (examples.length < EXAMPLES_MAX) examples.push(run);
    const group: FailureGroup = {
      checker: first.checker,
      cause,
      count: (found?.group.count ?? 0) + 1,
      message: found?.group.message ?? (first.message.split('\n', 1)[0] as string),
      examples,
    };
    this.#groups.set(key, { group, examples });
  }

  /** Most frequent first. */
  list(): readonly FailureGroup[] {
    return [...this.#groups.values()]
      .map(({ group }) => group)
      .sort((a, b) => b.count - a.count || compareText(a.checker + a.cause, b.checker + b.cause));
  }
}
