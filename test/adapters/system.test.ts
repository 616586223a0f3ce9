import { expect, test } from 'vitest';
import { steadyNow, systemNow } from '../../adapters/system.ts';

test('the clocks count microseconds since 1970', () => {
  const before = Date.now();
  const now = systemNow();
  const after = Date.now();
  expect(now).toBeGreaterThanOrEqual(before * 1000);
  expect(now).toBeLessThanOrEqual(after * 1000);

  const steady = () => performance.timeOrigin + performance.now();
  const [first, mine, last] = [steady(), steadyNow(), steady()];
  expect(mine).toBeGreaterThanOrEqual(Math.floor(first * 1000));
  expect(mine).toBeLessThanOrEqual(last * 1000);
});
