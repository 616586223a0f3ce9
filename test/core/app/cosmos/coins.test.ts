import { expect, test } from 'vitest';
import { coinsProblem, feeAt } from '../../../../core/app/cosmos/coins.ts';

const coin = (amount: bigint) => ({ denom: 'achain', amount: String(amount) });

test('an amount has 256 bits', () => {
  const max = 2n ** 256n - 1n;
  expect(coinsProblem([coin(max)])).toBeUndefined();
  expect(coinsProblem([coin(max + 1n)])).toBe(`invalid amount: ${max + 1n}achain`);
});

test('gas has its price to 18 decimals, and what is left of a unit is a whole one', () => {
  const one = (amount: string) => [{ denom: 'achain', amount }];
  expect(feeAt('2achain', 200_000n)).toEqual(one('400000'));
  expect(feeAt('0.025achain', 200_000n)).toEqual(one('5000'));
  expect(feeAt('0.000001achain', 200_001n)).toEqual(one('1'));
  expect(feeAt('0.000000000000000001achain', 10n ** 18n)).toEqual(one('1'));
  expect(feeAt('0.0achain', 200_000n)).toEqual([]);
  expect(feeAt('1.5b2b, 2achain', 3n)).toEqual([...one('6'), { denom: 'b2b', amount: '5' }]);
  for (const text of ['', 'achain', '.5achain', '1.achain', '1.5', '-1achain', '0.0000000000000000001achain'])
    expect(feeAt(text, 1n)).toBeUndefined();
});
