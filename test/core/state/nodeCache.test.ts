import { keccak_256 } from '@noble/hashes/sha3.js';
import { expect, test } from 'vitest';
import { NodeCache } from '../../../core/state/nodeCache.ts';

const node = (n: number): Uint8Array => Uint8Array.of(n & 255, n >>> 8, 1);

test('never holds more than its bound, and what it answers is what was put', () => {
  const cache = new NodeCache(64);
  for (let n = 0; n < 2000; n++) cache.put(keccak_256(node(n)), node(n));
  let held = 0;
  for (let n = 0; n < 2000; n++) {
    const found = cache.get(keccak_256(node(n)), 0);
    if (found === undefined) continue;
    held++;
    expect(found).toEqual(node(n));
  }
  expect(held).toBe(64);
});

test('keeps the node that is asked for while others pass through its set', () => {
  const cache = new NodeCache(4);
  const kept = keccak_256(node(0));
  cache.put(kept, node(0));
  for (let n = 1; n < 100; n++) {
    cache.put(keccak_256(node(n)), node(n));
    expect(cache.get(kept, 0)).toEqual(node(0));
  }
});

test('finds a hash inside other bytes', () => {
  const cache = new NodeCache(16);
  const hash = keccak_256(node(5));
  cache.put(hash, node(5));
  expect(cache.get(Uint8Array.of(9, 9, ...hash), 2)).toEqual(node(5));
});

test('growing keeps recently used nodes and nearly all others', () => {
  const cache = new NodeCache(1 << 15);
  const kept = keccak_256(node(0));
  cache.put(kept, node(0));
  for (let n = 1; n < 4000; n++) {
    cache.put(keccak_256(node(n)), node(n));
    expect(cache.get(kept, 0)).toEqual(node(0));
  }
  let held = 0;
  for (let n = 0; n < 4000; n++) if (cache.get(keccak_256(node(n)), 0) !== undefined) held++;
  expect(held).toBeGreaterThan(3900);
});

test('keeps no node that is longer than any branch of hashes', () => {
  const cache = new NodeCache(16);
  const [long, longest] = [new Uint8Array(1025), new Uint8Array(1024)];
  for (const one of [long, longest]) cache.put(keccak_256(one), one);
  expect(cache.get(keccak_256(long), 0)).toBeUndefined();
  expect(cache.get(keccak_256(longest), 0)).toEqual(longest);
});
