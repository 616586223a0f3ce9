import { hex } from '../lib/bytes.ts';
import type { Hash } from '../types/ids.ts';

/** Identifies the whole state after a height. */
export interface Roots {
  /** Ethereum's state trie. */
  readonly stateRoot: Hash;
  /** The module store's trie. */
  readonly modulesRoot: Hash;
}

/** keccak256(RLP('')): the root of a trie without entries. */
export const EMPTY_ROOT: Hash = hex('56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421');

export const EMPTY_ROOTS: Roots = { stateRoot: EMPTY_ROOT, modulesRoot: EMPTY_ROOT };
