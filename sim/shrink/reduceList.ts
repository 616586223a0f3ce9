/** Tries a smaller list; true when the failure is still there. */
export type Keeps<T> = (list: readonly T[]) => Promise<boolean>;

/**
 * Delta debugging (Zeller, Hildebrandt 2002) without the complement step that single removals make superfluous: takes
 * away halves, quarters, … and at last single entries, for as long as the failure stays.
 */
export async function reduceList<T>(list: readonly T[], keeps: Keeps<T>): Promise<readonly T[]> {
  let kept = list;
  let size = kept.length;
  while (size >= 1) {
    let removed = false;
    for (let at = 0; at < kept.length; ) {
      const smaller = [...kept.slice(0, at), ...kept.slice(at + size)];
      if (await keeps(smaller)) {
        kept = smaller;
        removed = true;
      } else at += size;
    }
    if (size === 1 && !removed) return kept;
    size = size === 1 ? (kept.length > 0 ? 1 : 0) : Math.ceil(size / 2);
  }
  return kept;
}
