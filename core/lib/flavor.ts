/**
 * A nominal hint that costs nothing: plain numbers are accepted, two different flavours are not mixed.
 * `Height` cannot be passed where a `Round` is wanted, yet `height + 1` needs no cast.
 */
export type Flavor<T, Name extends string> = T & { readonly __flavor?: Name };
