import { equalBytes } from '../../core/lib/bytes.ts';
import type { Address } from '../../core/types/ids.ts';
import type { ValidatorSet } from '../../core/types/validator.ts';
import type { Accomplice } from './behaviour.ts';

/** How many blocks back a validator that has left is looked for. */
const LEFT_MAX = 1_000;

/** A validator's slot: a validator set and an index in it. */
export interface Place {
  readonly validators: ValidatorSet;
  readonly index: number;
}

export function placeOf(me: Accomplice, address: Address, height: number): Place | undefined {
  const validators = height < 1 ? undefined : me.chain()?.validators(height);
  const index = validators?.validators.findIndex((one) => equalBytes(one.address, address)) ?? -1;
  return validators === undefined || index < 0 ? undefined : { validators, index };
}

/** A validator's slot at this height. For a validator that has left: its slot at the last height that had it. */
export function lastPlaceOf(me: Accomplice, address: Address, height: number): Place | undefined {
  const base = Math.max(1, me.chain()?.base() ?? 1, height - LEFT_MAX);
  for (let at = height; at >= base; at--) {
    const place = placeOf(me, address, at);
    if (place !== undefined) return place;
  }
  return undefined;
}
