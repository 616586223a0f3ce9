import { type Document, isMap, isNode, isSeq, LineCounter, parseDocument } from 'yaml';

/**
 * Adds the line of the file to entries that begin with their place in it: `timeline[1] heal` becomes
 * `timeline[1] (line 6) heal`.
 */
export function withLines(text: string, entries: readonly string[]): readonly string[] {
  if (entries.length === 0) return entries;
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { version: '1.2', lineCounter });
  return entries.map((entry) =>
    entry.replace(/^\w+[.[]\S+/, (place) => {
      const node = nodeAt(
        document,
        place.split(/[.[\]]+/).filter((key) => key !== ''),
      );
      const offset = isNode(node) ? node.range?.[0] : undefined;
      return offset === undefined ? place : `${place} (line ${lineCounter.linePos(offset).line})`;
    }),
  );
}

/** Clients have names in the place of numbers. */
function nodeAt(document: Document, path: readonly string[]): unknown {
  const [section, name] = path;
  const entries = section === 'clients' ? document.get(section) : undefined;
  if (isSeq(entries)) return entries.items.find((one) => isMap(one) && one.get('name') === name);
  return document.getIn(path, true);
}
