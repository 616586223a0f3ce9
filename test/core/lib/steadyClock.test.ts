import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SteadyClock } from '../../../core/lib/steadyClock.ts';

test('is the wall clock until that is set back, and goes on with it from there', () => {
  const clock = new SteadyClock();
  expect([1_000, 1_500, 600, 600, 900].map((wall) => clock.at(wall))).toEqual([
    1_000, 1_500, 1_500, 1_500, 1_800,
  ]);
});

test('never goes back, and never faster than the wall clock', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 1e12 }), { minLength: 2 }), (walls) => {
      const clock = new SteadyClock();
      const times = walls.map((wall) => clock.at(wall));
      for (let i = 1; i < walls.length; i++) {
        const passed = (times[i] as number) - (times[i - 1] as number);
        expect(passed).toBe(Math.max(0, (walls[i] as number) - (walls[i - 1] as number)));
      }
    }),
  );
});
