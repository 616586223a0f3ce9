import { expect, test } from 'vitest';
import { Waiters } from '../../../core/node/waiters.ts';

test('a reply reaches its caller once and frees a place', async () => {
  const waiters = new Waiters<string>();
  const replies = [1, 2, 3].map((call) => waiters.wait(call));
  expect(waiters.size).toBe(3);
  for (const call of [2, 1, 3]) waiters.answer(call, `to ${call}`);
  expect(await Promise.all(replies)).toEqual(['to 1', 'to 2', 'to 3']);
  expect(waiters.size).toBe(0);
  expect(() => waiters.answer(2, 'again')).toThrow('a reply to an unknown call');
});
