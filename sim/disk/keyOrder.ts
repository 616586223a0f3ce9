import type { Bytes } from '../../core/lib/bytes.ts';
import { compareEntries, type Entry } from './entry.ts';

/** Entries in key order, sorted only when they are read. Each first byte has a list of its own. */
export class KeyOrder {
  readonly #runs: (Run | undefined)[] = [];

  added(entry: Entry): void {
    const first = entry.firstByte;
    const run = this.#runs[first] ?? new Run();
    this.#runs[first] = run;
    run.written.push(entry);
  }

  /** Counts an entry that is gone. */
  removed({ firstByte }: Entry): void {
    const run = this.#runs[firstByte];
    if (run !== undefined) run.deleted++;
  }

  /** The entries from `gte` to below `lt`. */
  between(gte: Bytes, lt: Bytes): readonly Entry[] {
    const out: Entry[] = [];
    for (let first = firstOf(gte); first <= firstOf(lt); first++) {
      const entries = this.#runs[first]?.inOrder() ?? [];
      const high = lowerBound(entries, lt);
      for (let i = lowerBound(entries, gte); i < high; i++) out.push(entries[i] as Entry);
    }
    return out;
  }

  all(): readonly Entry[] {
    return this.#runs.flatMap((run) => run?.inOrder() ?? []);
  }
}

const firstOf = (key: Bytes): number => key[0] ?? 0;

/** Entries with one first byte: in key order, and those written and deleted since. */
class Run {
  written: Entry[] = [];
  deleted = 0;
  #sorted: readonly Entry[] = [];

  inOrder(): readonly Entry[] {
    if (this.written.length > 0 || this.deleted > 0) {
      const kept = this.deleted > 0 ? this.#sorted.filter((entry) => !entry.isGone) : this.#sorted;
      const added = this.written.filter((entry) => !entry.isGone);
      this.#sorted = merged(kept, added.sort(compareEntries));
      this.written = [];
      this.deleted = 0;
    }
    return this.#sorted;
  }
}

/** Merges two lists in key order. The second is short, so most of the first is copied without a comparison. */
function merged(a: readonly Entry[], b: readonly Entry[]): readonly Entry[] {
  const out: Entry[] = [];
  let at = 0;
  for (const entry of b) {
    for (const end = lowerBound(a, entry.key, at); at < end; at++) out.push(a[at] as Entry);
    out.push(entry);
  }
  while (at < a.length) out.push(a[at++] as Entry);
  return out;
}

/** The index at which `key` is or would be, not before `from`. */
function lowerBound(entries: readonly Entry[], key: Bytes, from = 0): number {
  let low = from;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((entries[middle] as Entry).compareKey(key) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
