import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bigintToBytes, bigintToFixed } from '../../../../core/app/evm/numbers.ts';
import { toHex } from '../../../../core/lib/bytes.ts';

const bits = (count: number) => fc.bigInt({ min: 0n, max: 2n ** BigInt(count) - 1n });
const values = fc.oneof(bits(8), bits(33), bits(54), bits(64), bits(256));

test('the shortest form is the hex digits, and of zero nothing', () => {
  fc.assert(
    fc.property(values, (value) => {
      const digits = value === 0n ? '' : value.toString(16);
      expect(toHex(bigintToBytes(value))).toBe(digits.padStart(digits.length + (digits.length % 2), '0'));
    }),
  );
});

test('a fixed width cuts to the low bytes, in two’s complement when negative', () => {
  fc.assert(
    fc.property(values, fc.integer({ min: 1, max: 40 }), fc.boolean(), (magnitude, size, isNegative) => {
      const value = isNegative ? -magnitude : magnitude;
      const digits = BigInt.asUintN(8 * size, value).toString(16);
      expect(toHex(bigintToFixed(value, size))).toBe(digits.padStart(2 * size, '0'));
    }),
  );
});
