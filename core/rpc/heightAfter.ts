import type { ChainReader } from '../app/chain.ts';
import type { Height } from '../types/ids.ts';

/** Genesis is height 0, and the first block may have any height. */
export const heightAfter = (chain: ChainReader, height: Height): Height =>
  (height === 0 ? chain.genesisNumber() : height) + 1;
