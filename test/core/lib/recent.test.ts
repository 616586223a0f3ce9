import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Recent } from '../../../core/lib/recent.ts';

test('keeps what was used last, and never more than its bound', () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 9 }), fc.array(fc.nat(12), { maxLength: 80 }), (max, keys) => {
      const recent = new Recent<number>(max);
      const used: number[] = [];
      for (const key of keys) {
        const found = recent.get(String(key));
        const isAmongLast = used.slice(-(max >>> 1)).includes(key);
        if (isAmongLast) expect(found).toBe(key);
        if (found === undefined) recent.set(String(key), key);
        used.splice(0, used.length, ...used.filter((other) => other !== key), key);
      }
    }),
    { numRuns: 500 },
  );
  const asked = new Recent<number>(4);
  asked.set('kept', -1);
  for (let key = 0; key < 20; key++) {
    asked.set(String(key), key);
    expect(asked.get('kept')).toBe(-1);
  }
  const recent = new Recent<number>(8);
  for (let key = 0; key < 100; key++) recent.set(String(key), key);
  const held = Array.from({ length: 100 }, (_, key) => key).filter(
    (key) => recent.get(String(key)) !== undefined,
  );
  expect(held.length).toBeLessThanOrEqual(8);
  expect(held.at(-1)).toBe(99);
});

test('what it keeps weighs no more than it may', () => {
  const recent = new Recent<number>(100, { max: 10, of: (weight) => weight });
  const held = (keys: string): string => [...keys].filter((key) => recent.get(key) !== undefined).join('');
  for (const key of ['a', 'b', 'c']) recent.set(key, 2);
  expect(held('c')).toBe('c');
  recent.set('d', 3);
  recent.set('e', 3);
  expect(held('abcde')).toBe('cde');
});
