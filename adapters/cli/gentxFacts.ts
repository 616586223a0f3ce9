/** Shared by the commands that make and that collect genesis transactions. */
import path from 'node:path';
import { formatAddress } from '../../core/address/kinds.ts';
import { genesisBalance } from '../../core/app/auth/genesisAccounts.ts';
import { POWER_REDUCTION } from '../../core/app/cosmos/genTx.ts';
import type { Coin } from '../../core/app/tx/tables.ts';
import type { Address } from '../../core/types/ids.ts';
import { OperatingError } from '../operatingError.ts';
import type { GenesisDoc } from './genesisDoc.ts';

export const gentxDir = ({ file }: GenesisDoc): string => path.join(path.dirname(file), 'gentx');

/** Checks that the account's genesis balance covers the coins that it declares. */
export function checkFunds(doc: GenesisDoc, address: Address, coin: Coin, what: string): void {
  const { hrp, denom } = doc.state;
  if (coin.denom !== denom)
    throw new OperatingError(`${what}: expected ${denom}, the only denom of this chain, found ${coin.denom}`);
  const account = formatAddress('acc', hrp, address);
  const has = genesisBalance(doc.genesis.appState, hrp, address, denom);
  if (has === undefined)
    throw new OperatingError(`${what}: account ${account} does not have a balance in the genesis state`);
  if (has < BigInt(coin.amount))
    throw new OperatingError(
      `${what}: account ${account} has a balance in genesis, but it only has ${has}${denom} available to stake, not ${coin.amount}${denom}`,
    );
}

export function powerOf({ amount, denom }: Coin, what: string): bigint {
  const power = BigInt(amount) / POWER_REDUCTION;
  if (power === 0n)
    throw new OperatingError(
      `${what}: ${amount}${denom} is less than one unit of power, ${POWER_REDUCTION}${denom}`,
    );
  return power;
}
