import { parseScenario } from '../scenario/parse.ts';
import { at, changed, type Doc, docText, type Path, places } from '../shrink/document.ts';
import { pick } from '../swarm/pick.ts';
import type { ChoiceStream } from '../world/choices.ts';

const CHANGES_MAX = 12;
/** Sections that say where a run ends and what it is called, and what is there for one run alone. */
const KEPT: ReadonlySet<unknown> = new Set(['name', 'seed', 'until', 'expect', 'search', 'choices']);

const placesOf = (doc: Doc): readonly Path[] =>
  places(doc).filter(([section]) => section !== undefined && !KEPT.has(section));

/** The last key of the path, and the key before it. An entry of a list has no key of its own. */
function kindOf(path: Path): readonly [above: string, key: string] {
  const keys = path.filter((step) => typeof step === 'string');
  return typeof path.at(-1) === 'number'
    ? [`entries of ${keys.at(-1)}`, 'entry']
    : [keys.at(-2) ?? '', keys.at(-1) ?? ''];
}

/** What scenarios have at places of each kind: values by key, by the key above. */
export type Values = ReadonlyMap<string, ReadonlyMap<string, readonly unknown[]>>;

export function valuesOf(docs: readonly Doc[]): Values {
  const all = new Map<string, Map<string, unknown[]>>();
  for (const doc of docs)
    for (const path of placesOf(doc)) {
      const [above, key] = kindOf(path);
      const keys = all.get(above) ?? new Map<string, unknown[]>();
      const values = keys.get(key) ?? [];
      values.push(at(doc, path));
      all.set(above, keys.set(key, values));
    }
  return all;
}

/**
 * The scenario with up to twelve of its values left out, or as another scenario has them at such a place, which may also
 * be a place next to it. A change after which it cannot be read is not made.
 */
export function exchanged(doc: Doc, values: Values, stream: ChoiceStream): Doc {
  let last = doc;
  for (let i = 1 + stream.choose(CHANGES_MAX); i > 0; i--) {
    const next = exchangedOnce(last, values, stream);
    if (parseScenario(docText(next)).ok) last = next;
  }
  return last;
}

function exchangedOnce(doc: Doc, values: Values, stream: ChoiceStream): Doc {
  const path = pick(stream, placesOf(doc));
  const [above, key] = kindOf(path);
  const way = stream.choose(8);
  const known = values.get(above);
  if (known === undefined) return doc;
  if (way === 0) return changed(doc, path, undefined);
  if (way > 2) return changed(doc, path, pick(stream, known.get(key) ?? [at(doc, path)]));
  const holder = path.slice(0, -1);
  const list = at(doc, holder);
  const other = pick(stream, [...known.keys()]);
  const value = pick(stream, known.get(other) ?? []);
  return changed(doc, [...holder, Array.isArray(list) ? list.length : other], value);
}
