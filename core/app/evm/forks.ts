/** Rule sets that genesis may choose; each includes the ones before it. Blob transactions are refused under all. */
import { FORKS, type ForkName } from '../../types/fork.ts';

export const DEFAULT_FORK: ForkName = 'osaka';

export const isFork = (name: string): name is ForkName => (FORKS as readonly string[]).includes(name);

/** What admission and execution ask of a rule set. */
export interface ForkRules {
  readonly name: ForkName;
  /** EIP-1559 transactions and base fee, EIP-3529 refunds. */
  readonly london: boolean;
  /** EIP-3651 warm coinbase, EIP-3860 bound and price of init code. */
  readonly shanghai: boolean;
  /** EIP-6780 SELFDESTRUCT. */
  readonly cancun: boolean;
  /** EIP-7623 floor, EIP-7702 transactions, EIP-2935 history. */
  readonly prague: boolean;
  /** EIP-7825 cap on the gas of one transaction. */
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
