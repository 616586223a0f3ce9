/** An ordered list with one more item, inserted before the first element for which `isBehind` is true. */
export function inserted<T>(list: readonly T[], item: T, isBehind: (other: T) => boolean): readonly T[] {
  const behind = list.findIndex(isBehind);
  const at = behind === -1 ? list.length : behind;
  return [...list.slice(0, at), item, ...list.slice(at)];
}
