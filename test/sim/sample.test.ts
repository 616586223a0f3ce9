import { expect, test } from 'vitest';
import { sampleOf } from '../../sim/sample.ts';

const places = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i);

test('of few all are asked about', () => {
  expect([...sampleOf(places(4), 4, () => false)]).toEqual([0, 1, 2, 3]);
});

test('of many the first, the last, some evenly between them and some special ones', () => {
  const chosen = sampleOf(places(100), 4, (place) => place % 10 === 7);
  expect([...chosen].sort((a, b) => a - b)).toEqual([0, 7, 33, 37, 66, 67, 97, 99]);
});
