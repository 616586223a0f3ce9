import { simpleMapRoot } from '../crypto/merkle.ts';
import type { Hash } from '../types/ids.ts';

export interface AppHashParts {
  readonly ethBlockHash: Hash;
  readonly modulesRoot: Hash;
}

/** What the consensus header commits to: both worlds as a Cosmos simple map, so that either can be proven alone. */
export const appHashEntries = ({ ethBlockHash, modulesRoot }: AppHashParts) =>
  [
    ['ethereum', ethBlockHash],
    ['modules', modulesRoot],
  ] as const;

export const appHashOf = (ethBlockHash: Hash, modulesRoot: Hash): Hash =>
  simpleMapRoot(appHashEntries({ ethBlockHash, modulesRoot }));
