import { isScalar, parseDocument, stringify } from 'yaml';
import { seedValue } from '../scenario/seed.ts';
import { parseDuration } from '../scenario/units.ts';

/** A scenario as plain data, from which the shrinker cuts pieces. The parser decides whether a piece may go. */
export type Doc = Record<string, unknown>;
export type Path = readonly (string | number)[];

export function readDoc(text: string): Doc {
  const document = parseDocument(text);
  const doc = document.toJS() as Doc;
  const seed = document.get('seed', true);
  return isScalar(seed) ? { ...doc, seed: seedValue(seed.source ?? '') } : doc;
}

/** Writes each entry on one line, as people do. */
export function docText(doc: Doc): string {
  const lines = Object.entries(doc).map(([key, value]) => {
    if (!Array.isArray(value)) return `${key}: ${flow(value)}\n`;
    return `${key}:\n${value.map((entry) => `  - ${flow(entry)}\n`).join('')}`;
  });
  return lines.join('');
}

const flow = (value: unknown): string =>
  stringify(value, { collectionStyle: 'flow', flowCollectionPadding: false, lineWidth: 0 }).trim();

export const at = (doc: unknown, path: Path): unknown =>
  path.reduce<unknown>((value, key) => (isTree(value) ? value[key] : undefined), doc);

/** A copy with the value at `path` replaced, or removed when undefined. */
export function changed(doc: Doc, path: Path, value: unknown): Doc {
  const copy = structuredCopy(doc) as Doc;
  const parent = at(copy, path.slice(0, -1));
  const last = path[path.length - 1];
  if (!isTree(parent) || last === undefined) return copy;
  if (value !== undefined) parent[last] = value;
  else if (Array.isArray(parent)) parent.splice(last as number, 1);
  else delete parent[last];
  return copy;
}

/** The document without a section. The defaults of its entries go with it. */
export function withoutSection(doc: Doc, key: string): Doc {
  const out = changed(doc, [key], undefined);
  const others = Object.keys(out['defaults'] ?? {}).filter((one) => one !== key);
  return changed(out, others.length === 0 ? ['defaults'] : ['defaults', key], undefined);
}

type Tree = Record<string | number, unknown>;
const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null;

function structuredCopy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(structuredCopy);
  if (!isTree(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, structuredCopy(one)]));
}

/** Every place in the tree, outermost first. */
export function places(value: unknown, path: Path = []): readonly Path[] {
  if (!isTree(value)) return [];
  const keys: readonly (string | number)[] = Array.isArray(value)
    ? value.map((_, i) => i)
    : Object.keys(value);
  return keys.flatMap((key) => [[...path, key], ...places(value[key], [...path, key])]);
}

/** The tree without a name. It is removed from lists and maps; an entry that needs it for a value goes as a whole. */
export function without(value: unknown, name: string): unknown {
  if (value === name) return undefined;
  if (Array.isArray(value)) {
    const left = value.map((one) => without(one, name)).filter((one) => one !== undefined);
    return left.length === 0 && value.length > 0 ? undefined : left;
  }
  if (!isTree(value)) return typeof value === 'string' && mentions(value, name) ? undefined : value;
  const out: Tree = {};
  for (const [key, one] of Object.entries(value)) {
    if (key === name) continue;
    const left = without(one, name);
    if (left === undefined) return undefined;
    out[key] = left;
  }
  return Object.keys(out).length === 0 && Object.hasOwn(value, name) ? undefined : out;
}

/** As in `crashed(v1)` and `link/v0>v1`. */
const mentions = (text: string, name: string): boolean =>
  text.includes(`(${name})`) || (text.startsWith('link/') && text.split(/[/>]/).includes(name));

/** Smaller values to try for a leaf, the smallest first. Of probabilities only certainty is smaller: it needs no luck. */
export function smallerLeaves(value: unknown): readonly unknown[] {
  if (typeof value === 'number' && Number.isInteger(value)) return smallerWhole(value);
  if (typeof value !== 'string') return [];
  const percent = /^(\d+(?:\.\d+)?)%$/.exec(value);
  if (percent !== null) return Number(percent[1]) < 100 ? ['100%'] : [];
  const micros = parseDuration(value);
  if (micros !== undefined) return smallerTimes(micros);
  const span = /^(\d+)\.\.(\d+)$/.exec(value);
  if (span !== null) return [Number(span[1]), Number(span[2])];
  return [];
}

const smallerWhole = (value: number): readonly number[] =>
  [...new Set([0, 1, 2, Math.floor(value / 2), value - 1])].filter((one) => one >= 0 && one < value);

/** Whole seconds only, all less than the time given. */
function smallerTimes(micros: number): readonly string[] {
  const seconds = micros / 1_000_000;
  const tries = [0, 1, 2, 5, 10, 20, 30, 60, Math.floor(seconds / 2), Math.floor(seconds)];
  return [...new Set(tries)]
    .filter((one) => one < seconds)
    .sort((a, b) => a - b)
    .map((one) => `${one}s`);
}
