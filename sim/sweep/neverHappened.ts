/** Entries that never happened in any run of the same scenario. They are the same if they stand at the same place. */
export class NeverHappened {
  /** By scenario: its text, its runs, and what did not happen; undefined once texts differ. */
  readonly #scenarios = new Map<string, Tale | undefined>();

  add(scenario: string, text: string, entries: readonly string[]): void {
    const known = this.#scenarios.get(scenario);
    if (known === undefined && this.#scenarios.has(scenario)) return;
    if (known !== undefined && known.text !== text) {
      this.#scenarios.set(scenario, undefined);
      return;
    }
    const tale: Tale = known ?? { text, runs: 0, missed: new Map() };
    tale.runs++;
    for (const entry of entries) {
      const place = entry.split(' ', 1)[0] as string;
      const before = tale.missed.get(place);
      tale.missed.set(place, { entry: before?.entry ?? entry, count: (before?.count ?? 0) + 1 });
    }
    this.#scenarios.set(scenario, tale);
  }

  list(): readonly Untold[] {
    return [...this.#scenarios].flatMap(([scenario, tale]) => {
      if (tale === undefined) return [];
      const entries = [...tale.missed.values()].flatMap(({ entry, count }) =>
        count === tale.runs ? [entry] : [],
      );
      return entries.length > 0 ? [{ scenario, entries }] : [];
    });
  }
}

interface Tale {
  readonly text: string;
  runs: number;
  /** By place in the file: the entry as its first run tells it, and in how many runs it did not happen. */
  readonly missed: Map<string, { readonly entry: string; readonly count: number }>;
}

export interface Untold {
  readonly scenario: string;
  readonly entries: readonly string[];
}
