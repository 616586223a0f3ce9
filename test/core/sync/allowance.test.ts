import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Allowance } from '../../../core/sync/allowance.ts';

const LIMITS = { burst: 5, everyMicros: 500 };

test('a burst at once, then one each time, and no more than a burst is saved up', () => {
  const allowance = new Allowance(0, LIMITS);
  const taken = (now: number): number => {
    let count = 0;
    while (allowance.take(now)) count++;
    return count;
  };
  expect(taken(0)).toBe(5);
  expect(taken(499)).toBe(0);
  expect(taken(500)).toBe(1);
  expect(taken(1_999)).toBe(2);
  expect(taken(2_000)).toBe(1);
  expect(taken(1_000_000)).toBe(5);
});

test('a clock that is set back makes nobody wait longer than an empty allowance does', () => {
  const allowance = new Allowance(10_000_000, LIMITS);
  for (let i = 0; i < 5; i++) allowance.take(10_000_000);
  expect(allowance.take(0)).toBe(false);
  expect(allowance.take(500)).toBe(true);
});

test('whenever it is asked, nothing of what has been earned is lost', () => {
  const waits = fc.array(fc.integer({ min: 0, max: 700 }), { maxLength: 100 });
  fc.assert(
    fc.property(waits, (between) => {
      const allowance = new Allowance(0, LIMITS);
      // In units of 1/500: what is there, by the definition.
      let [now, left] = [0, LIMITS.burst * LIMITS.everyMicros];
      for (const wait of between) {
        now += wait;
        left = Math.min(LIMITS.burst * LIMITS.everyMicros, left + wait);
        const may = left >= LIMITS.everyMicros;
        expect(allowance.isSpent(now)).toBe(!may);
        expect(allowance.take(now)).toBe(may);
        if (may) left -= LIMITS.everyMicros;
      }
    }),
  );
});
