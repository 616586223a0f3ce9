import { expect, test } from 'vitest';
import { LruCache } from '../../../core/app/lru.ts';

const kept = (cache: LruCache<number>, keys: string): string =>
  [...keys].filter((key) => cache.get(key) !== undefined).join('');

test('what was not used for longest goes first', () => {
  const cache = new LruCache<number>(3);
  for (const [i, key] of ['a', 'b', 'c'].entries()) cache.set(key, i);
  expect(cache.get('a')).toBe(0);
  cache.set('d', 3);
  expect(cache.get('b')).toBeUndefined();
  cache.set('c', 7);
  cache.set('e', 4);
  expect([kept(cache, 'abcde'), cache.size, cache.get('c')]).toEqual(['cde', 3, 7]);
});

test('weights are bounded, and given back', () => {
  const cache = new LruCache<number>(100, 10);
  cache.set('a', 1, 4);
  cache.set('b', 2, 6);
  expect(kept(cache, 'ab')).toBe('ab');
  cache.set('a', 1, 3);
  cache.set('c', 3, 1);
  expect(kept(cache, 'abc')).toBe('abc');
  cache.delete('b');
  cache.delete('b');
  cache.set('d', 4, 6);
  expect(kept(cache, 'acd')).toBe('acd');
  cache.set('e', 5, 11);
  expect([kept(cache, 'acde'), cache.size]).toEqual(['', 0]);
  cache.set('f', 6, 10);
  expect(kept(cache, 'f')).toBe('f');
});
