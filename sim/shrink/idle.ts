import { at, changed, type Doc, docText, type Path, withoutSection } from './document.ts';

/**
 * Where something stands in a document that does nothing in its run, the last places first: entries of the timeline
 * that never happened, and regions of validators that no `group` names. Without them the world is the same. A liar that
 * never lied is something else, because without its entry it is a correct node.
 */
export function idlePlaces(doc: Doc, neverHappened: readonly string[]): readonly Path[] {
  const entries = neverHappened.flatMap((entry): readonly Path[] => {
    const index = /^timeline\[(\d+)\]/.exec(entry)?.[1];
    return index === undefined ? [] : [['timeline', Number(index)]];
  });
  return [...entries, ...idleRegions(doc)].reverse();
}

function idleRegions(doc: Doc): readonly Path[] {
  const used = new Set([...docText(doc).matchAll(/\bgroup ([\w-]+)/g)].map(([, name]) => name));
  const validators = Object.keys((doc['validators'] ?? {}) as object).map((name) => ['validators', name]);
  return [['defaults', 'validators'], ...validators].flatMap((path) => {
    const region = at(doc, [...path, 'region']);
    return region === undefined || used.has(String(region)) ? [] : [[...path, 'region']];
  });
}

/** The document without what stands there, nor a section or its defaults if nothing is left of them. */
export function without(doc: Doc, path: Path): Doc {
  const [section, ...within] = path;
  // Defaults without their section are refused.
  if (section !== undefined && within.length === 0) return withoutSection(doc, String(section));
  const rest = changed(doc, path, undefined);
  const around = path.slice(0, -1);
  const isEmpty = Object.keys((at(rest, around) ?? {}) as object).length === 0;
  return isEmpty && around.length > 0 && around[0] !== 'validators' ? without(rest, around) : rest;
}
