import { expect, test } from 'vitest';
import { chargedGas } from '../../../../core/app/evm/execute.ts';
import { forkRules } from '../../../../core/app/evm/forks.ts';

const rules = forkRules('osaka');

test.each([
  ['a fifth is given back at most', 50_000n, 20_000n, 0n, 40_000n],
  ['the floor is looked at after what is given back', 50_000n, 10_000n, 45_000n, 45_000n],
  ['and nothing is given back below it', 30_000n, 6_000n, 45_000n, 45_000n],
])('%s (EIP-3529, EIP-7623)', (_, used, refund, floor, charged) => {
  expect(chargedGas(used, refund, floor, rules)).toBe(charged);
});
