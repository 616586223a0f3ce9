import { string } from '../../codec/fields.ts';
import { decode, encode, table } from '../../codec/proto.ts';
import { assert } from '../../lib/assert.ts';
import { encodeUtf8 } from '../../lib/utf8.ts';
import { type ModuleReader, type ModuleStore, moduleKey, modulePrefix } from '../moduleStore.ts';

/**
 * Balances of the native denom are Ethereum balances; the bank module stores only the supply. Burned base fees are
 * subtracted from it, so at every height the supply equals the sum of all balances.
 */
const SUPPLY_PREFIX = modulePrefix('bank/supply');

const STORED_AMOUNT = table<{ readonly amount: string }>('orrery.bank.StoredAmount', [
  string(1, 'amount', 80),
]);

export function readSupply(store: ModuleReader, denom: string): bigint {
  const value = store.module(moduleKey(SUPPLY_PREFIX, encodeUtf8(denom)));
  if (value === undefined) return 0n;
  const decoded = decode(STORED_AMOUNT, value);
  assert(decoded.ok, 'the bank store holds amounts');
  return BigInt(decoded.value.amount);
}

export function putSupply(store: ModuleStore, denom: string, amount: bigint): void {
  assert(amount >= 0n, 'supply below zero');
  const value = encode(STORED_AMOUNT, { amount: amount.toString() });
  store.putModule(moduleKey(SUPPLY_PREFIX, encodeUtf8(denom)), value);
}
