import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FUZZ_TARGETS, runFuzz } from '../../../adapters/fuzz/runFuzz.ts';
import { second } from '../../../adapters/fuzz/second.ts';
import { holds } from '../../../adapters/fuzz/target.ts';

/** Passwords are slow on purpose. */
const SLOW = ['armor', 'keyring-file', 'mnemonic'];

describe('a fixed run of the fuzz target', () => {
  test.each(FUZZ_TARGETS.map((target) => [target.name, target] as const))(
    '%s holds',
    async (name, target) => {
      const runs = SLOW.includes(name) ? 5 : 300;
      const outcome = await runFuzz(target, { seed: 20260101, runs, timeMs: undefined, path: undefined });
      expect(outcome).toMatchObject({ kind: 'passed', runs });
    },
  );

  test('has the second implementations to compare with', async () => {
    for (const name of ['ethers', '@cosmjs/encoding', 'cosmjs-types/cosmos/tx/v1beta1/tx'] as const) {
      expect(await second(name)).toBeDefined();
    }
  });
});

test('a failure is shrunk and names the run that shows it again', async () => {
  const target = {
    name: 'broken',
    doc: '',
    property: () =>
      holds(fc.nat(), (n) => {
        if (n > 41) throw new Error(`${n} is above 41`);
      }),
  };
  const outcome = await runFuzz(target, { seed: 1, runs: 1000, timeMs: undefined, path: undefined });
  if (outcome.kind !== 'failed') throw new Error('expected a failure');
  expect(outcome).toMatchObject({ input: '[42]', error: '42 is above 41' });
  const { seed, path } = outcome;
  expect(await runFuzz(target, { seed, runs: 1, timeMs: undefined, path })).toMatchObject({ input: '[42]' });
});
