import { equalBytes } from '../core/lib/bytes.ts';

/**
 * Remembers the newest answer of a pure function, and gives it again for equal arguments, compared in depth. Many nodes
 * hold copies of one value, and computing the answer once is enough. The arguments must not change afterwards.
 */
export function newest<A extends readonly unknown[], V>(compute: (...about: A) => V): (...about: A) => V {
  let known: { readonly about: A; readonly answer: V } | undefined;
  return (...about) => {
    if (known === undefined || !isAlike(known.about, about)) known = { about, answer: compute(...about) };
    return known.answer;
  };
}

/** Only plain data is compared: the content of a class's object is not known. */
function isAlike(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (a instanceof Uint8Array) return b instanceof Uint8Array && equalBytes(a, b);
  if (Array.isArray(a)) return Array.isArray(b) && isListAlike(a, b);
  return isPlain(a) && isPlain(b) && isRecordAlike(a, b);
}

function isListAlike(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (!isAlike(a[i], b[i])) return false;
  return true;
}

const isPlain = (value: object): value is Record<string, unknown> =>
  Object.getPrototypeOf(value) === Object.prototype;

function isRecordAlike(a: Record<string, unknown>, b: Record<string, unknown>): boolean {
  const names = Object.keys(a);
  if (Object.keys(b).length !== names.length) return false;
  for (const name of names) if (!isAlike(a[name], b[name])) return false;
  return true;
}
