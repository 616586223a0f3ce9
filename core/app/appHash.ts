import { simpleMapRoot } from '../crypto/merkle.ts';
import type { Hash } from '../types/ids.ts';

export interface AppHashParts {
  readonly ethBlockHash: Hash;
  readonly modulesRoot: Hash;
}

/**
 * The two roots behind the app hash of the consensus header, as entries of a Cosmos simple map: each can be proven
 * alone.
 */
export const appHashEntries = ({ ethBlockHash, modulesRoot }: AppHashParts) =>
  [
    ['ethereum', ethBlockHash],
    ['modules', modulesRoot],
  ] as const;

export const appHashOf = (ethBlockHash: Hash, modulesRoot: Hash): Hash =>
  simpleMapRoot(appHashEntries({ ethBlockHash, modulesRoot }));
