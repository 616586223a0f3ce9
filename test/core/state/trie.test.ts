import { MerklePatriciaTrie, verifyMerkleProof } from '@ethereumjs/mpt';
import { keccak_256 } from '@noble/hashes/sha3.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Bytes, compareBytes, hex, toHex } from '../../../core/lib/bytes.ts';
import { StorageFault } from '../../../core/lib/storageFault.ts';
import type { Change } from '../../../core/state/trieUpdate.ts';
import { EMPTY_ROOT } from '../../../core/store/roots.ts';
import { TrieBook } from './trieBook.ts';

/** Few and similar bytes, so that keys share prefixes, extend one another, and come back for update and deletion. */
const smallByte = fc.constantFrom(0x00, 0x01, 0x10, 0x11, 0x12, 0xf1, 0xff);
const shortKey = fc.array(smallByte, { minLength: 1, maxLength: 4 }).map((bytes) => Uint8Array.from(bytes));
const hashedKey = fc.integer({ min: 0, max: 40 }).map((n) => keccak_256(Uint8Array.of(n)));
const value = fc.oneof(
  fc.constant(undefined),
  fc.uint8Array({ minLength: 1, maxLength: 3 }),
  fc.uint8Array({ minLength: 30, maxLength: 70 }),
);

/** One batch: sorted, each key once. */
const batchOf = (key: fc.Arbitrary<Bytes>): fc.Arbitrary<Change[]> =>
  fc
    .uniqueArray(fc.record({ key, value }), {
      minLength: 1,
      maxLength: 12,
      selector: (change) => toHex(change.key),
    })
    .map((changes) => changes.toSorted((a, b) => compareBytes(a.key, b.key)));

async function applyTo(reference: MerklePatriciaTrie, batch: Iterable<Change>): Promise<void> {
  for (const change of batch) {
    if (change.value === undefined) await reference.del(change.key);
    else await reference.put(change.key, change.value);
  }
}

/**
 * The judge's root of the entries left. Built afresh: @ethereumjs/mpt 10.1.3 drops a branch's own value when a
 * deletion leaves it one child, which only keys that are prefixes of others can show.
 */
async function rootOfEntries(entries: Iterable<Change>): Promise<string> {
  const reference = new MerklePatriciaTrie();
  for (const change of entries) if (change.value !== undefined) await reference.put(change.key, change.value);
  return toHex(reference.root());
}

describe('against @ethereumjs/mpt', () => {
  for (const [name, key, afresh, runs] of [
    ['keys that are prefixes of one another', shortKey, true, 100],
    ['hashed keys', hashedKey, false, 60],
  ] as const) {
    test(`${name}: any batches of insertions, updates and deletions give the same roots and values`, async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(batchOf(key), { minLength: 1, maxLength: 6 }), async (batches) => {
          const reference = new MerklePatriciaTrie();
          const book = new TrieBook();
          const model = new Map<string, Change>();
          for (const batch of batches) {
            book.update(batch);
            for (const change of batch) model.set(toHex(change.key), change);
            if (!afresh) await applyTo(reference, batch);
            expect(toHex(book.root)).toBe(
              afresh ? await rootOfEntries(model.values()) : toHex(reference.root()),
            );
          }
          for (const change of model.values()) {
            expect(book.trie.get(book.root, change.key)).toEqual(change.value);
          }
          const kept = [...model.values()].filter((change) => change.value !== undefined);
          const entries = book.trie.entries(book.root, { prefix: new Uint8Array(0), limitMax: 1000 });
          expect(entries).toEqual(kept.toSorted((a, b) => compareBytes(a.key, b.key)));
        }),
        { numRuns: runs },
      );
    });
  }

  test('proofs of presence and of absence convince its verifier', async () => {
    await fc.assert(
      fc.asyncProperty(batchOf(hashedKey), hashedKey, async (batch, key) => {
        const book = new TrieBook();
        book.update(batch);
        if (book.root === EMPTY_ROOT) return;
        const proven = await verifyMerkleProof(key, book.trie.prove(book.root, key), {
          root: book.root,
        });
        expect(proven ?? undefined).toEqual(book.trie.get(book.root, key));
      }),
      { numRuns: 60 },
    );
  });
});

test('entries answer a prefix page by page in key order', () => {
  fc.assert(
    fc.property(batchOf(shortKey), shortKey, fc.integer({ min: 1, max: 3 }), (batch, prefix, limitMax) => {
      const book = new TrieBook();
      book.update(batch);
      const wanted = batch
        .filter((change) => change.value !== undefined)
        .filter((change) => toHex(change.key).startsWith(toHex(prefix)));
      const found: unknown[] = [];
      for (let after: Bytes | undefined; ; ) {
        const page = book.trie.entries(book.root, {
          prefix,
          limitMax,
          ...(after === undefined ? {} : { after }),
        });
        if (page.length === 0) break;
        found.push(...page);
        after = page.at(-1)?.key;
      }
      expect(found).toEqual(wanted);
    }),
    { numRuns: 200 },
  );
});

test('a page ends where it is full, also between a key and those that it begins', () => {
  const book = new TrieBook();
  const keys = ['01', '0102', '010203', '0103', '02'].map(hex);
  book.update(keys.map((key) => ({ key, value: key })));
  for (let limitMax = 1; limitMax <= 6; limitMax++) {
    const page = book.trie.entries(book.root, { prefix: new Uint8Array(0), limitMax });
    expect(page.map(({ key }) => key)).toEqual(keys.slice(0, limitMax));
  }
});

test('old roots stay readable after later batches', () => {
  const book = new TrieBook();
  const key = keccak_256(Uint8Array.of(1));
  const roots: Bytes[] = [];
  for (let n = 1; n <= 20; n++) {
    book.update([{ key, value: Uint8Array.of(n) }]);
    roots.push(book.root);
  }
  for (const [i, root] of roots.entries()) expect(book.trie.get(root, key)).toEqual(Uint8Array.of(i + 1));
});

test('a batch that changes nothing writes nothing and keeps the root', () => {
  const book = new TrieBook();
  const keys = [1, 2, 3, 4].map((n) => keccak_256(Uint8Array.of(n))).toSorted(compareBytes);
  book.update(keys.slice(0, 3).map((key) => ({ key, value: Uint8Array.of(7) })));
  const before = book.hashed;
  const same = book.trie.update(book.root, [
    ...keys.slice(0, 3).map((key) => ({ key, value: Uint8Array.of(7) })),
    { key: keys[3] as Bytes, value: undefined },
  ]);
  expect(same).toEqual({ root: book.root, nodes: [] });
  expect(book.hashed).toBe(before);
});

test('a batch hashes each new node once, however many of its keys pass through it', () => {
  const keys = Array.from({ length: 200 }, (_, n) => keccak_256(Uint8Array.of(n))).toSorted(compareBytes);
  const book = new TrieBook(1 << 12);
  const first = book.trie.update(
    EMPTY_ROOT,
    keys.map((key) => ({ key, value: key })),
  );
  expect(book.hashed).toBe(first.nodes.length);
  const second = book.trie.update(
    first.root,
    keys.map((key) => ({ key, value: key.slice(1) })),
  );
  expect(second.nodes.length).toBe(first.nodes.length);
  expect(book.hashed).toBe(first.nodes.length + second.nodes.length);
});

test('a missing node and an altered node stop the reader, naming the hash', () => {
  const keys = Array.from({ length: 40 }, (_, n) => keccak_256(Uint8Array.of(n))).toSorted(compareBytes);
  const book = new TrieBook();
  book.update(keys.map((key) => ({ key, value: key })));
  const fresh = new TrieBook();
  for (const [name, raw] of book.nodes) fresh.nodes.set(name, raw);
  const victim = toHex(keccak_256(book.trie.prove(book.root, keys[0] as Bytes)[1] as Bytes));
  const read = (): unknown => fresh.trie.get(book.root, keys[0] as Bytes);
  fresh.nodes.set(victim, (fresh.nodes.get(victim) as Bytes).with(9, 0x55));
  expect(read).toThrow(StorageFault);
  fresh.nodes.delete(victim);
  expect(read).toThrow(`trie node missing (record ${victim})`);
  fresh.nodes.set(victim, book.nodes.get(victim) as Bytes);
  expect(read()).toEqual(keys[0]);
});

test('a key has up to 128 bytes', () => {
  const book = new TrieBook();
  const longest = new Uint8Array(128).fill(1);
  book.update([{ key: longest, value: hex('01') }]);
  expect(book.trie.get(book.root, longest)).toEqual(hex('01'));
  const longer = new Uint8Array(129);
  expect(() => book.update([{ key: longer, value: hex('01') }])).toThrow('trie key length');
  expect(() => book.trie.get(book.root, longer)).toThrow('trie key length');
});

test('a page costs the nodes on the way to what it holds, wherever it begins', () => {
  const keys = Array.from({ length: 300 }, (_, n) => keccak_256(Uint8Array.of(n, n >> 8))).toSorted(
    compareBytes,
  );
  const book = new TrieBook();
  book.update(keys.map((key) => ({ key, value: key })));
  const costOf = (range: Parameters<typeof book.trie.entries>[1]): number => {
    const fresh = new TrieBook();
    for (const [name, raw] of book.nodes) fresh.nodes.set(name, raw);
    const before = fresh.hashed;
    expect(fresh.trie.entries(book.root, range)).toHaveLength(1);
    return fresh.hashed - before;
  };
  const none = new Uint8Array(0);
  const depth = Math.max(...keys.map((key) => book.trie.prove(book.root, key).length));
  for (const at of [0, 100, 298]) {
    const next = keys[at + 1] as Bytes;
    expect(costOf({ prefix: none, after: keys[at] as Bytes, limitMax: 1 })).toBeLessThanOrEqual(2 * depth);
    expect(costOf({ prefix: next.slice(0, 1), limitMax: 1 })).toBeLessThanOrEqual(depth);
  }
});

test('keys out of order, twice, or of no bytes, and empty values are our own bugs', () => {
  const book = new TrieBook();
  const one = { key: hex('01'), value: hex('01') };
  const two = { key: hex('02'), value: hex('01') };
  expect(() => book.update([two, one])).toThrow('changes ascend by key');
  expect(() => book.update([one, one])).toThrow('changes ascend by key');
  expect(() => book.update([{ key: new Uint8Array(0), value: hex('01') }])).toThrow('trie key length');
  expect(() => book.update([{ key: hex('01'), value: new Uint8Array(0) }])).toThrow(
    'a trie value is not empty',
  );
});
