import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Choices, PPM } from '../../sim/world/choices.ts';

const draws = (choices: Choices, label: string, count: number, n: number): number[] =>
  Array.from({ length: count }, () => choices.choose(label, n));

test('the same seed and label give the same choices', () => {
  const first = draws(new Choices({ seed: '7' }), 'link/v0>v1/delay', 50, 1000);
  expect(draws(new Choices({ seed: '7' }), 'link/v0>v1/delay', 50, 1000)).toEqual(first);
  expect(draws(new Choices({ seed: '8' }), 'link/v0>v1/delay', 50, 1000)).not.toEqual(first);
});

test('the generator is pinned: these are the first draws of seed 1 on every engine', () => {
  expect(draws(new Choices({ seed: '1' }), 'pinned', 6, 1_000_000)).toMatchInlineSnapshot(`
    [
      887411,
      265204,
      80855,
      760863,
      719991,
      370286,
    ]
  `);
});

test('draws of one stream do not change another stream', () => {
  const alone = draws(new Choices({ seed: '1' }), 'a', 20, 97);
  const busy = new Choices({ seed: '1' });
  const mixed = Array.from({ length: 20 }, () => {
    draws(busy, 'b', 3, 5);
    return busy.choose('a', 97);
  });
  expect(mixed).toEqual(alone);
});

test('every choice is within its bound, also above 2^32', () => {
  fc.assert(
    fc.property(fc.string(), fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), (seed, n) => {
      const value = new Choices({ seed }).choose('x', n);
      return Number.isSafeInteger(value) && value >= 0 && value < n;
    }),
  );
});

test('a recorded run replays from its choices, and an exhausted list answers the harmless choice', () => {
  const first = new Choices({ seed: '3', record: true });
  const values = draws(first, 'x', 5, 10);
  const replayed = new Choices({ seed: 'another', replay: first.recorded() });
  expect(draws(replayed, 'x', 5, 10)).toEqual(values);
  expect(replayed.choose('x', 10)).toBe(0);
  expect(replayed.choose('unknown', 10)).toBe(0);
});

test('a zeroed stream never does harm and the others go on as before', () => {
  const plain = new Choices({ seed: '5' });
  const zeroed = new Choices({ seed: '5', zeroed: (label) => label.startsWith('link/') });
  expect(draws(zeroed, 'link/a/loss', 10, 100)).toEqual(new Array(10).fill(0));
  expect(zeroed.stream('link/a/loss').chance(PPM - 1)).toBe(false);
  expect(draws(zeroed, 'crash/a', 10, 100)).toEqual(draws(plain, 'crash/a', 10, 100));
});

test('chance is as frequent as it says', () => {
  const stream = new Choices({ seed: '1' }).stream('coin');
  let hits = 0;
  for (let i = 0; i < 20_000; i++) if (stream.chance(250_000)) hits++;
  expect(hits).toBeGreaterThan(4_700);
  expect(hits).toBeLessThan(5_300);
});
