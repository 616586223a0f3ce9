import { expect, test } from 'vitest';
import { TokenBucket } from '../../../core/p2p/tokenBucket.ts';

const SECOND = 1_000_000;

test('a rest earns no more than a second of burst', () => {
  const bucket = new TokenBucket(0, 100);
  bucket.spend(0, 100);
  expect(bucket.debtMicros(0)).toBe(0);
  bucket.spend(3600 * SECOND, 150);
  expect(bucket.debtMicros(3600 * SECOND)).toBe(SECOND / 2);
});

test('what is owed is paid at the rate, whoever looks how often', () => {
  const bucket = new TokenBucket(0, 100);
  bucket.spend(0, 200);
  for (let now = 0; now < SECOND; now += 1_000) bucket.debtMicros(now);
  expect(bucket.debtMicros(SECOND)).toBe(0);
});
