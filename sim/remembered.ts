/**
 * Remembers the answers of a pure function as long as the object lives that they are about. The other arguments must
 * always be the same for one object.
 */
export function remembered<K extends object, V, A extends readonly unknown[]>(
  compute: (key: K, ...rest: A) => V,
): (key: K, ...rest: A) => V {
  const known = new WeakMap<K, { readonly value: V }>();
  return (key, ...rest) => {
    const found = known.get(key);
    if (found !== undefined) return found.value;
    const value = compute(key, ...rest);
    known.set(key, { value });
    return value;
  };
}
