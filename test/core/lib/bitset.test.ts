import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BitSet } from '../../../core/lib/bitset.ts';

const bits = fc.tuple(fc.nat(130), fc.array(fc.nat(129))).map(([size, members]) => {
  const set = new BitSet(size);
  for (const member of members) if (member < size) set.add(member);
  return set;
});

test('what a set has that another of any size has not comes in ascending order', () => {
  fc.assert(
    fc.property(bits, fc.option(bits, { nil: undefined }), (set, other) => {
      const indices = Array.from({ length: set.size }, (_, i) => i);
      expect([...set.minus(other)]).toEqual(indices.filter((i) => set.has(i) && other?.has(i) !== true));
    }),
  );
});

test('a copy and what words are made of go their own ways', () => {
  const words = Uint32Array.of(0b0001);
  const set = BitSet.fromWords(4, words);
  const copy = set.clone();
  copy.add(2);
  words[0] = 0b1000;
  expect([set, copy].map(String)).toEqual(['x___', 'x_x_']);
});

test('bits beyond the size count for nothing', () => {
  const set = BitSet.fromWords(3, [0b11111]);
  expect([set.count(), set.isFull(), [...set.words()]]).toEqual([3, true, [0b111]]);
});

test('a long set keeps what a short one keeps, and its words as they came', () => {
  for (const size of [31, 32, 2048, 2049, 5000]) {
    const set = new BitSet(size);
    const members = [0, 30, size - 1];
    for (const member of members) set.add(member);
    const again = BitSet.fromWords(size, set.words());
    expect([...again.minus(undefined)]).toEqual([...new Set(members)].sort((a, b) => a - b));
    expect(again.words()).toEqual(set.words());
    set.remove(size - 1);
    expect([set.has(size - 1), again.has(size - 1)]).toEqual([false, true]);
  }
});
