import { keccak_256 } from '@noble/hashes/sha3.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Bytes, compareBytes, toHex } from '../../../core/lib/bytes.ts';
import { changedKeys } from '../../../core/state/trieDiff.ts';
import type { NodeSource } from '../../../core/state/trieNode.ts';
import type { Change } from '../../../core/state/trieUpdate.ts';
import { EMPTY_ROOT } from '../../../core/store/roots.ts';
import { TrieBook } from './trieBook.ts';

/** Two bytes of few values make deep branches and extensions, hashes make what the state has. */
const shortKey = fc
  .tuple(fc.constantFrom(0x00, 0x01, 0x10, 0x11), fc.constantFrom(0x00, 0x01, 0x10, 0x12, 0xf1))
  .map((bytes) => Uint8Array.from(bytes));
const hashedKey = fc.integer({ min: 0, max: 60 }).map((n) => keccak_256(Uint8Array.of(n)));
const value = fc.oneof(
  fc.constant(undefined),
  fc.uint8Array({ minLength: 1, maxLength: 3 }),
  fc.uint8Array({ minLength: 30, maxLength: 70 }),
);

const batchOf = (key: fc.Arbitrary<Bytes>): fc.Arbitrary<Change[]> =>
  fc
    .uniqueArray(fc.record({ key, value }), { maxLength: 20, selector: (change) => toHex(change.key) })
    .map((changes) => changes.toSorted((a, b) => compareBytes(a.key, b.key)));

for (const [name, key] of [
  ['short', shortKey],
  ['hashed', hashedKey],
] as const) {
  test(`of any two tries with ${name} keys, the keys that changed are those whose values differ`, () => {
    fc.assert(
      fc.property(batchOf(key), batchOf(key), (first, second) => {
        const book = new TrieBook();
        if (first.length > 0) book.update(first);
        const older = book.root;
        const before = new Map(first.map((change) => [toHex(change.key), change.value]));
        if (second.length > 0) book.update(second);
        const expected = second
          .filter(({ key: at, value: now }) => {
            const was = before.get(toHex(at));
            return now !== undefined && (was === undefined || toHex(was) !== toHex(now));
          })
          .map((change) => toHex(change.key));
        const found = [...book.trie.changed(older, book.root)].flatMap((one) => one ?? []);
        expect(found.map(toHex)).toEqual(expected);
        expect([...book.trie.changed(book.root, book.root)]).toEqual([]);
        expect([...book.trie.changed(book.root, EMPTY_ROOT)]).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });
}

test('the walk reads the children of a node and then yields, whether or not it found a key', () => {
  const book = new TrieBook();
  const batch = (most: number): Change[] =>
    Array.from({ length: 1000 }, (_, i) => ({
      key: keccak_256(Uint8Array.of(i, i >> 8)),
      value: Uint8Array.of(i < most ? 1 : 2),
    })).toSorted((a, b) => compareBytes(a.key, b.key));
  book.update(batch(1000));
  const older = book.root;
  book.update(batch(500));
  let loads = 0;
  const { trie } = book;
  const source: NodeSource = {
    load(bytes, at) {
      loads++;
      return trie.load(bytes, at);
    },
    decode: (raw) => trie.decode(raw),
  };
  let found = 0;
  let before = 0;
  for (const key of changedKeys(source, older, book.root)) {
    // Sixteen of each trie, and once the two roots.
    expect(loads - before).toBeLessThanOrEqual(34);
    before = loads;
    if (key !== undefined) found++;
  }
  expect(found).toBe(500);
});
