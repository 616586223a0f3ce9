/** Where two values differ as JSON, in so few characters that a person can read it. */

/** Characters shown of one value. */
const SHOWN_CHARS_MAX = 200;
/** Characters shown before the first one that differs. */
const BEFORE_CHARS = 20;

export interface Difference {
  /** The place, e.g. `[3].logs[0].topics[1]`; empty where the values differ as a whole. */
  readonly path: string;
  readonly is: string;
  readonly should: string;
}

/** The text, or its beginning. */
export const cut = (text: string): string =>
  text.length <= SHOWN_CHARS_MAX ? text : `${text.slice(0, SHOWN_CHARS_MAX)}… (${text.length} characters)`;

/** The value as JSON, or its beginning. */
export const shown = (value: unknown): string => cut(jsonOf(value));

const jsonOf = (value: unknown): string => JSON.stringify(value) ?? 'nothing';

/** Undefined if the two are equal as JSON. Two short values are shown whole, of longer ones the first difference. */
export function differenceOf(told: unknown, truth: unknown): Difference | undefined {
  const [is, should] = [jsonOf(told), jsonOf(truth)];
  if (is === should) return undefined;
  if (Math.max(is.length, should.length) <= SHOWN_CHARS_MAX) return { path: '', is, should };
  return firstDifference(asRead(told), asRead(truth), '');
}

/** The value that a reader of its JSON gets. */
function asRead(value: unknown): unknown {
  const text = JSON.stringify(value);
  return text === undefined ? undefined : JSON.parse(text);
}

/** The place in a sentence: empty, or `, at [3].logs[0],`. */
export const placed = ({ path }: Difference): string =>
  path === '' ? '' : `, at ${path.startsWith('.') ? path.slice(1) : path},`;

/** The sentence up to a place that `placed` has put into it: what the two values have there is left out as well. */
export const withoutPlace = (sentence: string): string =>
  sentence.replace(/, at (?:[[A-Za-z_][^ ]*|character \d+), .*$/, '');

function firstDifference(told: unknown, truth: unknown, path: string): Difference {
  if (typeof told === 'string' && typeof truth === 'string') return differentText(told, truth, path);
  if (!isParted(told) || !isParted(truth) || Array.isArray(told) !== Array.isArray(truth))
    return { path, is: shown(told), should: shown(truth) };
  const [mine, theirs] = [new Map(Object.entries(told)), new Map(Object.entries(truth))];
  // A refusal has none of the fields of the answer, and is worth reading.
  if (!Array.isArray(told) && ![...theirs.keys()].some((key) => mine.has(key)))
    return { path, is: shown(told), should: shown(truth) };
  for (const key of new Set([...theirs.keys(), ...mine.keys()])) {
    const [is, should] = [mine.get(key), theirs.get(key)];
    if (jsonOf(is) === jsonOf(should)) continue;
    const found = firstDifference(is, should, `${path}${Array.isArray(told) ? `[${key}]` : `.${key}`}`);
    return { ...found, should: `${found.should}${sizesOf(told, truth)}` };
  }
  const [is, should] = [mine, theirs].map((one) =>
    cut(`the fields in the order ${[...one.keys()].join(', ')}`),
  );
  return { path, is: is as string, should: should as string };
}

const isParted = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Where a list has another length, an entry is missing or one too many. */
const sizesOf = (told: object, truth: object): string =>
  Array.isArray(told) && Array.isArray(truth) && told.length !== truth.length
    ? ` (the list has ${told.length} entries, should have ${truth.length})`
    : '';

/** Long texts are shown from shortly before the first character that differs. Characters are counted from 0. */
function differentText(told: string, truth: string, path: string): Difference {
  let at = 0;
  while (at < told.length && told[at] === truth[at]) at++;
  if (at + BEFORE_CHARS < SHOWN_CHARS_MAX) return { path, is: shown(told), should: shown(truth) };
  const from = at - BEFORE_CHARS;
  const [is, should] = [told, truth].map((text) => shown(`…${text.slice(from, from + SHOWN_CHARS_MAX / 2)}`));
  return {
    path: `${path}${path === '' ? '' : ', '}character ${at}`,
    is: is as string,
    should: should as string,
  };
}
