import { sha256 } from '@noble/hashes/sha2.js';
import { accountCount, addressOfNumber } from '../../core/app/auth/keeper.ts';
import { readSupply } from '../../core/app/bank/keeper.ts';
import type { ChainReader } from '../../core/app/chain.ts';
import type { TxResult } from '../../core/types/result.ts';
import type { FeeMarket } from '../clients/answers/feeMarket.ts';

/** What expressions can ask about the coins of a chain, in its smallest unit. */
const MONEY = ['balances', 'supply', 'burned', 'genesis'] as const;
export type Money = (typeof MONEY)[number];

/**
 * - `balances`: the sum of the balances of all accounts;
 * - `supply`: the total supply according to the bank module;
 * - `burned`: base fees of all blocks, by their gas, unless they are collected;
 * - `genesis`: the supply before the first block.
 *
 * undefined when the chain does not reach back to genesis.
 */
export function moneyOf(chain: ChainReader, what: Money, market: FeeMarket): bigint | undefined {
  const latest = chain.latest();
  if (what === 'supply') return readSupply(latest, chain.denom);
  if (what === 'genesis') {
    const genesis = chain.view(0);
    return genesis === undefined ? undefined : readSupply(genesis, chain.denom);
  }
  let sum = 0n;
  if (what === 'balances') {
    const count = accountCount(latest);
    for (let number = 0n; number < count; number++) {
      const address = addressOfNumber(latest, number);
      if (address !== undefined) sum += latest.account(address)?.balance ?? 0n;
    }
    return sum;
  }
  for (let height = chain.base(); height <= chain.head(); height++) {
    if (chain.ethBlock(height) === undefined) return undefined;
    sum += burnedAt(chain, height, market);
  }
  return sum;
}

/** Results of a block's transactions that are not Ethereum's. */
export function othersOf(chain: ChainReader, height: number): readonly TxResult[] {
  const results = chain.results(height)?.txResults ?? [];
  if (results.length === (chain.ethBlock(height)?.receipts.length ?? 0)) return [];
  const txs = chain.block(height)?.txs ?? [];
  return results.filter((_, i) => {
    const tx = txs[i];
    return tx !== undefined && chain.txLocation(sha256(tx))?.ethIndex === undefined;
  });
}

/**
 * The base fees of a block that nobody received. An Ethereum transaction pays for the gas it used, another one for its
 * whole gas limit.
 */
export function burnedAt(chain: ChainReader, height: number, { collectBaseFee }: FeeMarket): bigint {
  const block = chain.ethBlock(height);
  if (block === undefined || collectBaseFee) return 0n;
  const used = block.receipts.reduce((sum, { gasUsed }) => sum + gasUsed, 0n);
  const asked = othersOf(chain, height).reduce((sum, { gasWanted }) => sum + gasWanted, 0n);
  return block.header.baseFeePerGas * (used + asked);
}
