/** Most letters that may be wrong between a typo and the word that was meant. */
const SLIPS_MAX = 3;

/** `; did you mean height?` if the word is close to a known one, else an empty string. */
export function nearest(word: string, known: readonly string[]): string {
  let best: string | undefined;
  let least = SLIPS_MAX + 1;
  for (const one of known) {
    const slips = distance(word, one);
    if (slips < least && 2 * slips < Math.max(word.length, one.length)) [best, least] = [one, slips];
  }
  return best === undefined ? '' : `; did you mean ${best}?`;
}

/** Levenshtein distance: letters inserted, deleted or replaced. */
function distance(from: string, to: string): number {
  if (Math.abs(from.length - to.length) > SLIPS_MAX) return SLIPS_MAX + 1;
  let row = Array.from({ length: to.length + 1 }, (_, i) => i);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const kept = (row[j - 1] as number) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(kept, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return row[to.length] as number;
}
