/** Which blocks and transactions of a long chain nodes are asked about one by one at the end of a run. */
import type { ChainReader, EthBlock } from '../core/app/chain.ts';
import { EMPTY_HASH } from '../core/codec/hashes.ts';
import { equalBytes } from '../core/lib/bytes.ts';
import type { Height } from '../core/types/ids.ts';
import type { TxResult } from '../core/types/result.ts';

/**
 * Nodes are asked about each block and transaction of a chain within these limits. Of a longer chain so many heights
 * are chosen evenly, and as many special ones. The others repeat these, and would make the end of a run grow with its
 * length.
 */
const HEIGHTS_MAX = 40;
const TXS_MAX = 100;
/** Transactions per block of a long chain: so many are chosen evenly, and as many special ones. */
const BLOCK_TXS_MAX = 4;

/** The first, the last, and items evenly between them. */
function evenly<T>(all: readonly T[], max: number): readonly T[] {
  if (all.length <= max) return all;
  return Array.from({ length: max }, (_, i) => all[Math.round((i * (all.length - 1)) / (max - 1))] as T);
}

/** So many items of a list evenly, and so many of its special ones. */
export function sampleOf<T>(all: readonly T[], max: number, isSpecial: (one: T) => boolean): ReadonlySet<T> {
  return new Set(all.length <= max ? all : [...evenly(all, max), ...evenly(all.filter(isSpecial), max)]);
}

/** Whether nodes are asked about everything that a chain has. */
export function isShort(chain: ChainReader): boolean {
  const [base, head] = [chain.base(), chain.head()];
  if (head - base >= HEIGHTS_MAX) return false;
  let txs = 0;
  for (let height = base; height <= head; height++) txs += chain.blockMeta(height)?.numTxs ?? 0;
  return txs <= TXS_MAX;
}

/** The blocks and transactions of a chain that nodes are asked about. */
export class Sample {
  readonly isWhole: boolean;
  readonly #heights: ReadonlySet<Height>;

  constructor(chain: ChainReader) {
    this.isWhole = isShort(chain);
    const heights = Array.from({ length: chain.head() - chain.base() + 1 }, (_, i) => chain.base() + i);
    this.#heights = this.isWhole
      ? new Set(heights)
      : sampleOf(heights, HEIGHTS_MAX, (height) => isSpecialBlock(chain, height));
  }

  has(height: Height): boolean {
    return this.#heights.has(height);
  }

  /** The places of the transactions of a block to ask about. */
  txs(count: number, results: readonly TxResult[]): ReadonlySet<number> {
    const places = Array.from({ length: count }, (_, i) => i);
    if (this.isWhole) return new Set(places);
    return sampleOf(places, BLOCK_TXS_MAX, (i) => results[i]?.code !== 0);
  }

  /** The places of the Ethereum transactions of a block to ask about, counted among these. */
  ethTxs(block: EthBlock): ReadonlySet<number> {
    const places = block.transactions.map((_, i) => i);
    if (this.isWhole) return new Set(places);
    return sampleOf(places, BLOCK_TXS_MAX, (i) => isSpecialTx(block, i));
  }
}

/** Whether its execution differs from a payment or a call that succeeds. */
const isSpecialTx = ({ transactions, receipts }: EthBlock, i: number): boolean =>
  receipts[i]?.status === 0 || transactions[i]?.to === undefined || transactions[i]?.type === 4;

/** Whether a block holds evidence according to its header, which is read faster than the block. */
export function isAccusing(chain: ChainReader, height: Height): boolean {
  const meta = chain.blockMeta(height);
  return meta !== undefined && !equalBytes(meta.header.evidenceHash, EMPTY_HASH);
}

/** It carries evidence, updates, failures or new contracts. */
function isSpecialBlock(chain: ChainReader, height: Height): boolean {
  const [results, block] = [chain.results(height), chain.ethBlock(height)];
  return (
    isAccusing(chain, height) ||
    (results !== undefined &&
      (results.validatorUpdates.length > 0 ||
        results.paramUpdates !== undefined ||
        results.txResults.some(({ code }) => code !== 0))) ||
    (block?.transactions.some((_, i) => isSpecialTx(block, i)) ?? false)
  );
}
