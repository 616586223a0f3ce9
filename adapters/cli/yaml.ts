import { Document, isPair, isScalar, type Tags, visit } from 'yaml';

/**
 * YAML as Cosmos tools print it: keys sorted at every level, texts that look like numbers quoted, no folding, lists not
 * indented. A hex hash is too long for a number there, so it stays unquoted.
 */
export function toYaml(value: unknown): string {
  const document = new Document(value, { sortMapEntries: true, customTags: shortHexIsNumber });
  visit(document, {
    Pair(_, pair) {
      if (isPair(pair) && isScalar(pair.key) && String(pair.key.value).startsWith('@'))
        pair.key.type = 'QUOTE_SINGLE';
    },
  });
  return document.toString({ lineWidth: 0, indentSeq: false });
}

const shortHexIsNumber = (tags: Tags): Tags =>
  tags.map((tag) =>
    typeof tag === 'object' && 'format' in tag && tag.format === 'HEX'
      ? { ...tag, test: /^0x[0-9a-fA-F]{1,16}$/ }
      : tag,
  ) as Tags;
