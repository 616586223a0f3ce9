/** Rule sets that genesis may choose; each includes the ones before it. Blob transactions are refused under all. */
import { FORKS, type ForkName } from '../../types/fork.ts';

export const DEFAULT_FORK: ForkName = 'osaka';

export const isFork = (name: string): name is ForkName => (FORKS as readonly string[]).includes(name);

/** What admission asks of a rule set. */
export interface ForkRules {
  readonly name: ForkName;
  /** EIP-7623 floor, EIP-7702 transactions, EIP-2935 history. */
  readonly prague: boolean;
  /** EIP-7825 cap on the gas of one transaction. */
  readonly osaka: boolean;
}

export const forkRules = (name: ForkName): ForkRules => ({
  name,
  prague: name === 'prague' || name === 'osaka',
  osaka: name === 'osaka',
});
