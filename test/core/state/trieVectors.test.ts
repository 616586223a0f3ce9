import { readFileSync } from 'node:fs';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { describe, expect, test } from 'vitest';
import { type Bytes, compareBytes, hex, toHex } from '../../../core/lib/bytes.ts';
import { encodeUtf8 } from '../../../core/lib/utf8.ts';
import { TrieBook } from './trieBook.ts';

type Pairs = readonly (readonly [string, string | null])[];
interface Case {
  readonly in: Pairs | Record<string, string | null>;
  readonly root: string;
}

const load = (name: string): [string, Case][] =>
  Object.entries(
    JSON.parse(
      readFileSync(new URL(`../../vectors/ethereum-tests/TrieTests/${name}.json`, import.meta.url), 'utf8'),
    ) as Record<string, Case>,
  );
const bytesOf = (text: string): Bytes => (text.startsWith('0x') ? hex(text) : encodeUtf8(text));
const pairsOf = (input: Case['in']): Pairs =>
  Array.isArray(input) ? (input as Pairs) : Object.entries(input as Record<string, string | null>);

for (const [file, secure, anyOrder] of [
  ['trieanyorder', false, true],
  ['trietest', false, false],
  ['trieanyorder_secureTrie', true, true],
  ['trietest_secureTrie', true, false],
  ['hex_encoded_securetrie_test', true, true],
] as const) {
  describe(`ethereum-tests ${file}`, () => {
    for (const [name, vector] of load(file)) {
      const changes = pairsOf(vector.in).map(([key, value]) => ({
        key: secure ? keccak_256(bytesOf(key)) : bytesOf(key),
        value: value === null ? undefined : bytesOf(value),
      }));
      test(`${name}: one change a batch gives the root`, () => {
        const book = new TrieBook();
        for (const change of changes) book.update([change]);
        expect(`0x${toHex(book.root)}`).toBe(vector.root);
      });
      if (anyOrder) {
        test(`${name}: all changes in one batch give the root`, () => {
          const book = new TrieBook();
          book.update(changes.toSorted((a, b) => compareBytes(a.key, b.key)));
          expect(`0x${toHex(book.root)}`).toBe(vector.root);
        });
      }
    }
  });
}

test('trietestnextprev: entries after a key come in key order', () => {
  type Vector = { in: string[]; tests: [string, string, string][] };
  const vectors = load('trietestnextprev') as unknown as [string, Vector][];
  expect(vectors.length).toBeGreaterThan(0);
  for (const [, vector] of vectors) {
    const book = new TrieBook();
    for (const key of vector.in) book.update([{ key: bytesOf(key), value: bytesOf(key) }]);
    for (const [at, , next] of vector.tests) {
      if (at === '') continue;
      const found = book.trie.entries(book.root, {
        prefix: new Uint8Array(0),
        after: bytesOf(at),
        limitMax: 1,
      });
      expect(found.length === 0 ? '' : found.map(({ key }) => String.fromCharCode(...key)).join()).toBe(next);
    }
  }
});
