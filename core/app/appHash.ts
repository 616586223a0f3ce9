import { simpleMapRoot } from '../crypto/merkle.ts';
import type { Hash } from '../types/ids.ts';

/** What the consensus header commits to: both worlds as a Cosmos simple map, so that either can be proven alone. */
export const appHashOf = (ethBlockHash: Hash, modulesRoot: Hash): Hash =>
  simpleMapRoot([
    ['ethereum', ethBlockHash],
    ['modules', modulesRoot],
  ]);
