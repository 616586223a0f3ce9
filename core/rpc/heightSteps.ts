import type { ChainReader } from '../app/chain.ts';
import type { Height } from '../types/ids.ts';

/** The next height after a stored one. Genesis is stored under 0, and the first block may have any height. */
export const heightAfter = (chain: ChainReader, height: Height): Height => numberOfHeight(chain, height) + 1;

/** Genesis is stored under height 0, whatever its block number. */
export const heightOfNumber = (chain: ChainReader, number: number): Height =>
  number === chain.genesisNumber() ? 0 : number;

/** The block number of a stored height. */
export const numberOfHeight = (chain: ChainReader, height: Height): number =>
  height === 0 ? chain.genesisNumber() : height;

/** The stored height before `height`, which must be above 0. */
export const heightBefore = (chain: ChainReader, height: Height): Height =>
  height === chain.genesisNumber() + 1 ? 0 : height - 1;
