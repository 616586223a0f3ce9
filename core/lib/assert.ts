/** A broken invariant of our own code. Caught only at the root, where the process (or simulated node) stops. */
export class AssertionError extends Error {
  override readonly name = 'AssertionError';
}

/** Asserts a fact about our own code. Bad outside data gives an error Result instead. */
export function assert(fact: boolean, message: string): asserts fact {
  if (!fact) throw new AssertionError(message);
}

/** Closes a switch over a union: the compiler proves that it cannot be reached. */
export function unreachable(value: never): never {
  throw new AssertionError(`unreachable case: ${JSON.stringify(value)}`);
}

/** A value that our own code has already proven present. */
export function present<T>(value: T | undefined | null, message: string): T {
  if (value === undefined || value === null) throw new AssertionError(message);
  return value;
}
