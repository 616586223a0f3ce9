/** Entries that never happened in any run of the same scenario: such an entry tests nothing. */
export class NeverHappened {
  /** By scenario: its text, its runs, and how often each entry did not happen; undefined once texts differ. */
  readonly #scenarios = new Map<string, Tale | undefined>();

  add(scenario: string, text: string, entries: readonly string[]): void {
    const known = this.#scenarios.get(scenario);
    if (known === undefined && this.#scenarios.has(scenario)) return;
    if (known !== undefined && known.text !== text) {
      this.#scenarios.set(scenario, undefined);
      return;
    }
    const tale = known ?? { text, runs: 0, missed: new Map<string, number>() };
    tale.runs++;
    for (const entry of entries) tale.missed.set(entry, (tale.missed.get(entry) ?? 0) + 1);
    this.#scenarios.set(scenario, tale);
  }

  list(): readonly Untold[] {
    return [...this.#scenarios].flatMap(([scenario, tale]) => {
      if (tale === undefined) return [];
      const entries = [...tale.missed].filter(([, count]) => count === tale.runs).map(([entry]) => entry);
      return entries.length > 0 ? [{ scenario, entries }] : [];
    });
  }
}

interface Tale {
  readonly text: string;
  runs: number;
  readonly missed: Map<string, number>;
}

export interface Untold {
  readonly scenario: string;
  readonly entries: readonly string[];
}
