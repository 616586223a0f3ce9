import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DEFAULT_FEE_MARKET, effectivePrice, nextBaseFee } from '../../../core/app/feemarket/baseFee.ts';

const GWEI = 10n ** 9n;
const next = (baseFeePerGas: bigint, gasUsed: bigint, gasLimit = 20_000_000n): bigint =>
  nextBaseFee({ baseFeePerGas, gasUsed, gasLimit }, DEFAULT_FEE_MARKET);

test('the base fee follows the published EIP-1559 examples', () => {
  // go-ethereum's TestCalcBaseFee: usage at, below and above the target of 10 million.
  expect(next(GWEI, 10_000_000n)).toBe(GWEI);
  expect(next(GWEI, 9_000_000n)).toBe(987_500_000n);
  expect(next(GWEI, 11_000_000n)).toBe(1_012_500_000n);
  expect(next(GWEI, 0n)).toBe(875_000_000n);
  expect(next(GWEI, 20_000_000n)).toBe(1_125_000_000n);
});

test('a full block raises even the smallest fee, and the floor holds it up', () => {
  expect(next(1n, 20_000_000n)).toBe(2n);
  expect(next(7n, 0n)).toBe(7n);
  const floored = { ...DEFAULT_FEE_MARKET, minGasPrice: GWEI };
  expect(nextBaseFee({ baseFeePerGas: GWEI, gasUsed: 0n, gasLimit: 100n }, floored)).toBe(GWEI);
});

test('without a base fee it stays zero', () => {
  const none = { ...DEFAULT_FEE_MARKET, noBaseFee: true };
  expect(nextBaseFee({ baseFeePerGas: 0n, gasUsed: 100n, gasLimit: 100n }, none)).toBe(0n);
});

test('a step is never larger than an eighth', () => {
  fc.assert(
    fc.property(fc.bigInt(1n, 10n ** 15n), fc.bigInt(0n, 20_000_000n), (base, used) => {
      const after = next(base, used);
      expect(after <= base + base / 8n + 1n).toBe(true);
      expect(after >= base - base / 8n).toBe(true);
    }),
  );
});

test('the price is base fee and tip, never above the cap', () => {
  expect(effectivePrice({ maxFeePerGas: 10n, maxPriorityFeePerGas: 3n }, 5n)).toEqual({ price: 8n, tip: 3n });
  expect(effectivePrice({ maxFeePerGas: 10n, maxPriorityFeePerGas: 3n }, 9n)).toEqual({
    price: 10n,
    tip: 1n,
  });
  expect(effectivePrice({ maxFeePerGas: 10n, maxPriorityFeePerGas: 3n }, 11n)).toBeUndefined();
});
