import { expect, test } from 'vitest';
import { drawDelay, longestDelay } from '../../sim/network/delay.ts';
import { Choices } from '../../sim/world/choices.ts';

test('a uniform delay stays within its ends and reaches both', () => {
  const stream = new Choices({ seed: '1' }).stream('d');
  const seen = new Set(
    Array.from({ length: 500 }, () => drawDelay({ low: 3, high: 7, shape: 'uniform' }, stream)),
  );
  expect([...seen].sort()).toEqual([3, 4, 5, 6, 7]);
});

test('an exponential delay has its mean in the middle and a long tail', () => {
  const stream = new Choices({ seed: '1' }).stream('d');
  const delay = { low: 0, high: 200_000, shape: 'exponential' } as const;
  const drawn = Array.from({ length: 5_000 }, () => drawDelay(delay, stream));
  const mean = drawn.reduce((sum, one) => sum + one, 0) / drawn.length;
  expect(mean).toBeGreaterThan(95_000);
  expect(mean).toBeLessThan(105_000);
  expect(Math.max(...drawn)).toBeGreaterThan(400_000);
});

test('the longest delay is drawn, and nothing beyond it', () => {
  for (const shape of ['uniform', 'exponential'] as const) {
    const delay = { low: 1_000, high: 201_000, shape };
    const stream = new Choices({ seed: '1' }).stream('d');
    const drawn = Array.from({ length: 300_000 }, () => drawDelay(delay, stream));
    expect(drawn.reduce((most, one) => Math.max(most, one))).toBe(longestDelay(delay));
  }
});

test('the harmless draw is the shortest delay', () => {
  const zeroed = new Choices({ seed: '1', zeroed: () => true }).stream('d');
  expect(drawDelay({ low: 5, high: 900, shape: 'uniform' }, zeroed)).toBe(5);
  expect(drawDelay({ low: 5, high: 900, shape: 'exponential' }, zeroed)).toBe(5);
});
