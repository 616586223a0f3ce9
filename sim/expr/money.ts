import { accountCount, addressOfNumber } from '../../core/app/auth/keeper.ts';
import { readSupply } from '../../core/app/bank/keeper.ts';
import type { ChainReader } from '../../core/app/chain.ts';

/** What sentences can ask of the coins of a chain, in its smallest unit. */
export const MONEY = ['balances', 'supply', 'burned', 'genesis'] as const;
export type Money = (typeof MONEY)[number];

/**
 * - `balances`: what all accounts have together, one after the other;
 * - `supply`: what the bank says there is;
 * - `burned`: base fees of all blocks, by their gas;
 * - `genesis`: what there was before the first block.
 *
 * undefined when the chain does not reach back to genesis.
 */
export function moneyOf(chain: ChainReader, what: Money): bigint | undefined {
  const latest = chain.latest();
  if (what === 'supply') return readSupply(latest, chain.denom);
  if (what === 'genesis') {
    const genesis = chain.view(0);
    return genesis === undefined ? undefined : readSupply(genesis, chain.denom);
  }
  let sum = 0n;
  if (what === 'balances') {
    for (let number = 0n; number < accountCount(latest); number++) {
      const address = addressOfNumber(latest, number);
      if (address !== undefined) sum += latest.account(address)?.balance ?? 0n;
    }
    return sum;
  }
  for (let height = chain.base(); height <= chain.head(); height++) {
    const header = chain.ethBlock(height)?.header;
    if (header === undefined) return undefined;
    sum += header.baseFeePerGas * header.gasUsed;
  }
  return sum;
}
