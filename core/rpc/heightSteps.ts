import type { ChainReader } from '../app/chain.ts';
import type { Height } from '../types/ids.ts';

/** Steps from height to height: genesis is 0, and the first block may have any. */
export const heightAfter = (chain: ChainReader, height: Height): Height =>
  (height === 0 ? chain.genesisNumber() : height) + 1;

/** Genesis is kept under 0, whatever its number. */
export const heightOfNumber = (chain: ChainReader, number: number): Height =>
  number === chain.genesisNumber() ? 0 : number;

/** Of a height above 0. */
export const heightBefore = (chain: ChainReader, height: Height): Height =>
  height === chain.genesisNumber() + 1 ? 0 : height - 1;
