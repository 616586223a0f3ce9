import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareBytes, toHex } from '../../../core/lib/bytes.ts';
import { MemoryKv } from '../../../core/store/memoryKv.ts';

const bytes = fc.uint8Array({ maxLength: 2 });

test('ranges hold exactly the entries between their bounds, in key order or reverse', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(bytes), bytes, bytes, fc.boolean(), async (keys, gte, lt, reverse) => {
      const kv = new MemoryKv();
      await kv.batch(keys.map((key) => ({ type: 'put', key, value: key })));
      const wanted = [...new Map(keys.map((key) => [toHex(key), key])).values()]
        .filter((key) => compareBytes(key, gte) >= 0 && compareBytes(key, lt) < 0)
        .toSorted(compareBytes);
      const found = await kv.range({ gte, lt, reverse, limitMax: 3 });
      expect(found.map(([key]) => key)).toEqual((reverse ? wanted.toReversed() : wanted).slice(0, 3));
    }),
  );
});

test('a batch puts and deletes in its order; a copy goes its own way', async () => {
  const kv = new MemoryKv();
  const key = Uint8Array.of(1);
  await kv.batch([
    { type: 'put', key, value: Uint8Array.of(1) },
    { type: 'del', key },
    { type: 'put', key, value: Uint8Array.of(2) },
  ]);
  const copy = new MemoryKv(kv);
  await copy.batch([{ type: 'del', key }]);
  expect(kv.get(key)).toEqual(Uint8Array.of(2));
  expect(copy.get(key)).toBeUndefined();
  expect(copy.size).toBe(0);
});
