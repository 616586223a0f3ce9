import { keccak_256 } from '@noble/hashes/sha3.js';
import { type Bytes, toHex } from '../../../core/lib/bytes.ts';
import { NodeCache } from '../../../core/state/nodeCache.ts';
import { Trie } from '../../../core/state/trie.ts';
import type { Change } from '../../../core/state/trieUpdate.ts';
import { EMPTY_ROOT } from '../../../core/store/roots.ts';

/** A trie, its node store and its newest root. */
export class TrieBook {
  readonly nodes = new Map<string, Bytes>();
  readonly trie: Trie;
  root: Bytes = EMPTY_ROOT;
  /** How often a node was hashed. */
  hashed = 0;

  constructor(cacheNodesMax = 16) {
    const keccak = (bytes: Bytes): Bytes => {
      this.hashed++;
      return keccak_256(bytes);
    };
    this.trie = new Trie(keccak, (hash) => this.nodes.get(toHex(hash)), new NodeCache(cacheNodesMax));
  }

  update(changes: readonly Change[]): void {
    const { root, nodes } = this.trie.update(this.root, changes);
    for (const [hash, raw] of nodes) this.nodes.set(toHex(hash), raw);
    this.root = root;
  }
}
