import type { Unjudged } from '../report.ts';

interface Run {
  readonly notJudged?: readonly Unjudged[];
  readonly hasForked?: boolean;
  readonly hasHalted?: boolean;
}

interface Tale {
  runs: number;
  forked: number;
  halted: number;
  readonly promises: Map<string, { readonly promise: string; readonly why: string; runs: number }>;
}

/** What a scenario expects and some of its runs have not judged. */
export interface UnjudgedRuns {
  readonly scenario: string;
  readonly runs: number;
  readonly promises: readonly { readonly promise: string; readonly why: string; readonly runs: number }[];
  /** Runs in which correct nodes decided different blocks, and in which one had stopped itself at the end. */
  readonly forked: number;
  readonly halted: number;
}

/** Counts, by scenario, the runs that have not judged what the scenario expects: that they passed says little. */
export class UnjudgedTally {
  readonly #scenarios = new Map<string, Tale>();

  add(scenario: string, { notJudged = [], hasForked = false, hasHalted = false }: Run): void {
    const tale = this.#scenarios.get(scenario) ?? { runs: 0, forked: 0, halted: 0, promises: new Map() };
    this.#scenarios.set(scenario, tale);
    tale.runs++;
    if (hasForked) tale.forked++;
    if (hasHalted) tale.halted++;
    for (const { promise, why } of notJudged) {
      const key = `${promise}\n${why}`;
      const known = tale.promises.get(key) ?? { promise, why, runs: 0 };
      known.runs++;
      tale.promises.set(key, known);
    }
  }

  list(): readonly UnjudgedRuns[] {
    return [...this.#scenarios].flatMap(([scenario, tale]) =>
      tale.promises.size === 0 ? [] : [{ scenario, ...tale, promises: [...tale.promises.values()] }],
    );
  }
}

/** For each scenario one line for each reason, and one for what became of correct nodes. */
export function unjudgedLines({ scenario, runs, promises, forked, halted }: UnjudgedRuns): readonly string[] {
  const heads = new Map<string, string[]>();
  for (const one of promises) {
    const head = `expected and not judged in ${one.runs} of ${runs} runs of ${scenario}, as ${one.why}`;
    heads.set(head, [...(heads.get(head) ?? []), one.promise]);
  }
  const lines = [...heads].map(([head, names]) => `${head}: ${names.join(', ')}`);
  return forked + halted === 0
    ? lines
    : [...lines, `    correct nodes forked in ${forked} and halted in ${halted} of these ${runs} runs`];
}
