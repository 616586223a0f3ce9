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
