import { EMPTY } from '../../core/lib/bytes.ts';
import type { FeeMarket } from '../clients/answers/feeMarket.ts';
import { DEV_BALANCE } from '../cluster.ts';
import type { Draft, Script } from './script.ts';
import { GWEI } from './transfers.ts';

const GAS = 21_000n;
/** Transfers of an account before the last. */
const EARLIER = 3;

/**
 * Empties one account after the other. Legacy transactions cost exactly what they offer, and the last one of an account
 * sends all that those before it leave. If the chain has a lowest price, they offer just that.
 */
export function emptied({ minGasPrice }: FeeMarket): Script {
  const price = minGasPrice > 0n ? minGasPrice : 100n * GWEI;
  return (state) => {
    const from = state.accounts.find((account) => state.nonceOf(account) === 0);
    if (from === undefined) return [];
    let left = DEV_BALANCE;
    return Array.from({ length: EARLIER + 1 }, (_, i): Draft => {
      const rest = left - GAS * price;
      const value = i < EARLIER ? BigInt(1 + state.choices.choose(1_000_000)) : rest;
      left = rest - value;
      const to = new Uint8Array(20).fill(0x70 + state.choices.choose(8));
      const nonce = state.takeNonce(from);
      const fees = { gas: GAS, tip: price, feeCap: price };
      return { from, to, data: EMPTY, nonce, value, ...fees, type: 0, status: '0x1', isWanted: true };
    });
  };
}
