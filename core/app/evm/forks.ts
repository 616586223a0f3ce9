/** Rule sets that genesis may choose; each includes all before it. No rule set accepts blob transactions. */
import { FORKS, type ForkName } from '../../types/fork.ts';

export const DEFAULT_FORK: ForkName = 'osaka';

export const isFork = (name: string): name is ForkName => (FORKS as readonly string[]).includes(name);

/** The parts of a rule set that admission and execution check. */
export interface ForkRules {
  readonly name: ForkName;
  /** EIP-1559 transactions and base fee, EIP-3529 refunds. */
  readonly london: boolean;
  /** EIP-3651 warm coinbase, EIP-3860 limit and price of init code. */
  readonly shanghai: boolean;
  /** EIP-6780 SELFDESTRUCT. */
  readonly cancun: boolean;
  /** EIP-7623 floor, EIP-7702 transactions, EIP-2935 history. */
  readonly prague: boolean;
  /** EIP-7825 gas limit cap per transaction. */
  readonly osaka: boolean;
}

export function forkRules(name: ForkName): ForkRules {
  const has = (fork: ForkName): boolean => FORKS.indexOf(name) >= FORKS.indexOf(fork);
  return {
    name,
    london: has('london'),
    shanghai: has('shanghai'),
    cancun: has('cancun'),
    prague: has('prague'),
    osaka: has('osaka'),
  };
}
