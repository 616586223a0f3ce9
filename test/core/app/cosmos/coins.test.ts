import { expect, test } from 'vitest';
import { coinsProblem } from '../../../../core/app/cosmos/coins.ts';

const coin = (amount: bigint) => ({ denom: 'achain', amount: String(amount) });

test('an amount has 256 bits', () => {
  const max = 2n ** 256n - 1n;
  expect(coinsProblem([coin(max)])).toBeUndefined();
  expect(coinsProblem([coin(max + 1n)])).toBe(`invalid amount: ${max + 1n}achain`);
});
