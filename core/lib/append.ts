/** Adds at the end. `list.push(...more)` throws RangeError where there are more than the call stack has room for. */
export function append<T>(list: T[], more: Iterable<T>): void {
  for (const one of more) list.push(one);
}
