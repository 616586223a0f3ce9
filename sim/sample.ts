/** About which blocks and transactions of a long chain nodes are asked one by one at the end of a run. */
import type { ChainReader, EthBlock } from '../core/app/chain.ts';
import { EMPTY_HASH } from '../core/codec/hashes.ts';
import { equalBytes } from '../core/lib/bytes.ts';
import type { Height } from '../core/types/ids.ts';
import type { TxResult } from '../core/types/result.ts';

/**
 * Chains with no more than these are asked about each block and transaction. Of longer ones so many heights are chosen evenly, and
 * as many of those that have something of their own: the rest repeats them, and would make the end of a run grow with its length.
 */
const HEIGHTS_MAX = 40;
const TXS_MAX = 100;
/** Transactions of one block of a long chain that are chosen evenly, and of those that have something of their own. */
const BLOCK_TXS_MAX = 4;

/** The first, the last, and what lies evenly between them. */
function evenly<T>(all: readonly T[], max: number): readonly T[] {
  if (all.length <= max) return all;
  return Array.from({ length: max }, (_, i) => all[Math.round((i * (all.length - 1)) / (max - 1))] as T);
}

/** So many of a list evenly, and so many of its special ones. */
export function sampleOf<T>(all: readonly T[], max: number, isSpecial: (one: T) => boolean): ReadonlySet<T> {
  return new Set(all.length <= max ? all : [...evenly(all, max), ...evenly(all.filter(isSpecial), max)]);
}

/** Whether all that a chain has is asked about. */
export function isShort(chain: ChainReader): boolean {
  const [base, head] = [chain.base(), chain.head()];
  if (head - base >= HEIGHTS_MAX) return false;
  let txs = 0;
  for (let height = base; height <= head; height++) txs += chain.blockMeta(height)?.numTxs ?? 0;
  return txs <= TXS_MAX;
}

/** What is asked about a chain, block by block. */
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

  /** Which of the transactions of a block, by their places. */
  txs(count: number, results: readonly TxResult[]): ReadonlySet<number> {
    const places = Array.from({ length: count }, (_, i) => i);
    if (this.isWhole) return new Set(places);
    return sampleOf(places, BLOCK_TXS_MAX, (i) => results[i]?.code !== 0);
  }

  /** Which of the Ethereum transactions of a block, by their places among these. */
  ethTxs(block: EthBlock): ReadonlySet<number> {
    const places = block.transactions.map((_, i) => i);
    if (this.isWhole) return new Set(places);
    return sampleOf(places, BLOCK_TXS_MAX, (i) => isSpecialTx(block, i));
  }
}

/** Whose execution takes other ways than a payment or a call that goes well. */
const isSpecialTx = ({ transactions, receipts }: EthBlock, i: number): boolean =>
  receipts[i]?.status === 0 || transactions[i]?.to === undefined || transactions[i]?.type === 4;

/** Whether a block holds evidence, as its header says: that is read sooner than the block. */
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
