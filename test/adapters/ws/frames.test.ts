import { expect, test } from 'vitest';
import { sharedFrames } from '../../../adapters/ws/frames.ts';

test('frames are cached for the first four openings, and built anew for others', () => {
  const shared = { texts: ['one', 'two'], length: 6 };
  const made = ['1', '2', '3', '4', '5'].map((opening) => [opening, sharedFrames(opening, shared)] as const);
  const isKept = made.map(([opening, frames]) => sharedFrames(opening, shared) === frames);
  expect(isKept).toEqual([true, true, true, true, false]);
});
