import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addMillis, compareTime, timestampOf } from '../../../core/types/ids.ts';
import { sameMisbehavior, toMisbehavior } from '../../../core/types/misbehavior.ts';
import { evidence, timestamp } from '../codec/arbitraries.ts';

const nanosOf = ({ seconds, nanos }: { seconds: number; nanos: number }): bigint =>
  BigInt(seconds) * 10n ** 9n + BigInt(nanos);

test('times are ordered by their nanoseconds, and moved by milliseconds', () => {
  fc.assert(
    fc.property(timestamp, timestamp, fc.integer({ min: 0, max: 10 ** 9 }), (a, b, ms) => {
      const difference = nanosOf(a) - nanosOf(b);
      expect(Math.sign(compareTime(a, b))).toBe(difference === 0n ? 0 : difference < 0n ? -1 : 1);
      const later = addMillis(a, ms);
      expect(nanosOf(later) - nanosOf(a)).toBe(BigInt(ms) * 10n ** 6n);
      expect(later.nanos).toBeGreaterThanOrEqual(0);
      expect(later.nanos).toBeLessThan(10 ** 9);
    }),
  );
  expect(timestampOf(1_000_001)).toEqual({ seconds: 1, nanos: 1000 });
  expect(timestampOf(-1)).toEqual({ seconds: -1, nanos: 999_999_000 });
  expect(compareTime({ seconds: 1, nanos: 5 }, { seconds: 1, nanos: 6 })).toBeLessThan(0);
});

test('the application is told of each who misbehaved, where, when, and of how much power', () => {
  fc.assert(
    fc.property(evidence, evidence, (one, other) => {
      const told = toMisbehavior(one);
      const { kind, timestamp: time, totalVotingPower } = one;
      if (one.kind === 'duplicate-vote') {
        const validator = { address: one.voteA.validatorAddress, power: one.validatorPower };
        expect(told).toEqual([{ kind, validator, height: one.voteA.height, time, totalVotingPower }]);
      } else {
        const named = one.byzantineValidators.map(({ address, power }) => ({ address, power }));
        const height = one.commonHeight;
        expect(told).toEqual(named.map((validator) => ({ kind, validator, height, time, totalVotingPower })));
      }
      expect(sameMisbehavior(told, toMisbehavior(one))).toBe(true);
      const others = toMisbehavior(other);
      const isEqual = (): boolean => {
        try {
          expect(told).toEqual(others);
          return true;
        } catch {
          return false;
        }
      };
      expect(sameMisbehavior(told, others)).toBe(isEqual());
      for (const [i, was] of told.entries())
        for (const change of [
          { height: was.height + 1 },
          { totalVotingPower: was.totalVotingPower + 1n },
          { time: { ...was.time, nanos: was.time.nanos + 1 } },
          { validator: { ...was.validator, power: was.validator.power + 1n } },
          { validator: { ...was.validator, address: new Uint8Array(1) } },
        ])
          expect(sameMisbehavior(told, told.with(i, { ...was, ...change }))).toBe(false);
    }),
    { numRuns: 100 },
  );
});
