import { expect, test } from 'vitest';
import { afterRounds } from '../../../core/consensus/priority.ts';
import type { Validator, ValidatorSet } from '../../../core/types/validator.ts';

/** Priorities as far apart as the window allows: a turn drives them beyond it. */
function stretched(): ValidatorSet {
  const powers = [30n, 20n, 10n, 1n];
  const priorities = [61n, -61n, 40n, -40n];
  const validators = powers.map((power, i): Validator => {
    const address = new Uint8Array(20).fill(i + 1);
    const pubKey = { type: 'ed25519', bytes: new Uint8Array(32).fill(i + 1) } as const;
    return { address, pubKey, power, priority: priorities[i] as bigint };
  });
  return { validators, totalPower: 61n, proposer: validators[0] as Validator };
}

test('whoever skips rounds has the same set as who went through them', () => {
  const set = stretched();
  for (let rounds = 1; rounds < 12; rounds++)
    for (let first = 0; first <= rounds; first++)
      expect(afterRounds(afterRounds(set, first), rounds - first)).toEqual(afterRounds(set, rounds));
});
