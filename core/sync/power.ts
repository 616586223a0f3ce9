import { equalBytes } from '../lib/bytes.ts';
import type { Address } from '../types/ids.ts';
import type { ChainState } from '../types/state.ts';

/** Whether `self` has at least 1/`fraction` of the power of the validators that decide the next block. */
export function holdsPower({ validators }: ChainState, self: Address | undefined, fraction: bigint): boolean {
  if (self === undefined) return false;
  const own = validators.validators.find(({ address }) => equalBytes(address, self));
  return own !== undefined && own.power * fraction >= validators.totalPower;
}
