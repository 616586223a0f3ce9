import { createMPT } from '@ethereumjs/mpt';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bigintToBytes } from '../../../../core/app/evm/numbers.ts';
import { EMPTY_TRIE_ROOT, orderedTrieRoot } from '../../../../core/app/evm/orderedTrie.ts';
import { encodeRlp } from '../../../../core/app/evm/rlp.ts';
import { keccak256 } from '../../../../core/crypto/hash.ts';
import { toHex } from '../../../../core/lib/bytes.ts';

async function byLibrary(values: readonly Uint8Array[]): Promise<string> {
  const trie = await createMPT();
  for (const [i, value] of values.entries()) await trie.put(encodeRlp(bigintToBytes(BigInt(i))), value);
  return toHex(trie.root());
}

const ours = (values: readonly Uint8Array[]): string => toHex(orderedTrieRoot(values, keccak256));

test('a trie of nothing', async () => {
  expect(ours([])).toBe(toHex(EMPTY_TRIE_ROOT));
  expect(ours([])).toBe(await byLibrary([]));
});

test.each([1, 2, 3, 15, 16, 17, 127, 128, 129, 130, 255, 256, 257, 400])(
  'a trie of %i values',
  async (count) => {
    const values = Array.from({ length: count }, (_, i) => new Uint8Array(40 + (i % 7)).fill(1 + (i % 255)));
    expect(ours(values)).toBe(await byLibrary(values));
  },
);

test('values of any length: nodes stand in their parent while they are short', async () => {
  for (let length = 1; length <= 40; length++)
    for (const count of [1, 2, 3, 130]) {
      const values = Array.from({ length: count }, (_, i) => new Uint8Array(length).fill(200 - (i % 99)));
      expect([length, count, ours(values)]).toEqual([length, count, await byLibrary(values)]);
    }
  const any = fc.array(fc.uint8Array({ minLength: 1, maxLength: 40 }), { maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(any, async (values) => {
      expect(ours(values)).toBe(await byLibrary(values));
    }),
    { numRuns: 100 },
  );
});
