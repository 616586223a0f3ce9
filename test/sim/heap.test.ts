import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EventHeap } from '../../sim/world/heap.ts';

test('events come out by time, and by sequence within one microsecond', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 20 })), (times) => {
      const heap = new EventHeap<{ readonly at: number; readonly seq: number }>();
      for (const [seq, at] of times.entries()) heap.push({ at, seq });
      const out: { readonly at: number; readonly seq: number }[] = [];
      for (let next = heap.pop(); next !== undefined; next = heap.pop()) out.push(next);
      const wanted = times.map((at, seq) => ({ at, seq })).sort((a, b) => a.at - b.at || a.seq - b.seq);
      expect(out).toEqual(wanted);
    }),
  );
});
