/** Appends. `list.push(...more)` throws a RangeError if there are more elements than the call stack has room for. */
export function append<T>(list: T[], more: Iterable<T>): void {
  for (const one of more) list.push(one);
}
