import type { Address } from '../types/ids.ts';
import type { ChainState } from '../types/state.ts';
import { findByAddress } from '../types/validator.ts';

/** Whether `self` has at least 1/`fraction` of the power of the validators that decide the next block. */
export function holdsPower({ validators }: ChainState, self: Address | undefined, fraction: bigint): boolean {
  if (self === undefined) return false;
  const own = findByAddress(validators, self);
  return own !== undefined && own.validator.power * fraction >= validators.totalPower;
}
