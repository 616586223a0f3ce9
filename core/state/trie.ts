import { assert } from '../lib/assert.ts';
import type { Bytes } from '../lib/bytes.ts';
import { StorageFault } from '../lib/storageFault.ts';
import type { Hash } from '../types/ids.ts';
import { nibbleAt, sharedWithPath } from './nibbles.ts';
import type { NodeCache } from './nodeCache.ts';
import { itemEnd, payloadStart } from './rlp.ts';
import { changedKeys } from './trieDiff.ts';
import { type EntryRange, entriesOf, type TrieEntry } from './trieEntries.ts';
import {
  branchItemStart,
  decodeNode,
  isEmptyRoot,
  isShort,
  type Node,
  type NodeSource,
  TRIE_KEY_BYTES_MAX,
} from './trieNode.ts';
import { type Change, TrieUpdate, type TrieUpdateResult } from './trieUpdate.ts';

/** The encoding of the node with this hash; undefined if there is none. Works the same for roots of any age. */
export type NodeReader = (hash: Hash) => Bytes | undefined;

/**
 * A set of authenticated maps that share one node store. A root hash identifies one of them for ever. Other code knows
 * the trie only by this interface, so a faster trie can replace it.
 */
export interface AuthenticatedMap {
  get(root: Hash, key: Bytes): Bytes | undefined;
  /** `changes` are sorted by key, without duplicates; undefined values delete. The caller stores the new nodes. */
  update(root: Hash, changes: readonly Change[]): TrieUpdateResult;
  /** The nodes from the root towards the key, encoded. They prove the key's value or its absence. */
  prove(root: Hash, key: Bytes): Bytes[];
  /** Entries in key order. */
  entries(root: Hash, range: EntryRange): TrieEntry[];
  /**
   * Keys whose value in `newer` is absent or different in `older`, in order; undefined for a part of the walk that found
   * none. All keys must have the same length.
   */
  changed(older: Hash, newer: Hash): Iterable<Bytes | undefined>;
}

/** Ethereum's Merkle-Patricia trie (Yellow Paper, appendix D): synchronous, immutable, each new node hashed once. */
export class Trie implements AuthenticatedMap, NodeSource {
  readonly #keccak256: (bytes: Bytes) => Hash;
  readonly #reader: NodeReader;
  readonly #cache: NodeCache;

  constructor(keccak256: (bytes: Bytes) => Hash, reader: NodeReader, cache: NodeCache) {
    this.#keccak256 = keccak256;
    this.#reader = reader;
    this.#cache = cache;
  }

  get(root: Hash, key: Bytes): Bytes | undefined {
    return this.#walk(root, key, undefined);
  }

  prove(root: Hash, key: Bytes): Bytes[] {
    const nodes: Bytes[] = [];
    this.#walk(root, key, nodes);
    return nodes;
  }

  update(root: Hash, changes: readonly Change[]): TrieUpdateResult {
    return new TrieUpdate(this, this.#keccak256, this.#cache).run(root, changes);
  }

  entries(root: Hash, range: EntryRange): TrieEntry[] {
    return entriesOf(this, root, range);
  }

  changed(older: Hash, newer: Hash): Iterable<Bytes | undefined> {
    return changedKeys(this, older, newer);
  }

  /** Walks along the encodings without decoding branches. Whole nodes on the way are added to `passed`. */
  #walk(root: Hash, key: Bytes, passed: Bytes[] | undefined): Bytes | undefined {
    assert(key.length > 0 && key.length <= TRIE_KEY_BYTES_MAX, 'trie key length');
    if (isEmptyRoot(root)) return undefined;
    const nibbles = key.length * 2;
    let raw = this.load(root, 0);
    passed?.push(raw);
    for (let depth = 0; ; ) {
      let child: number;
      if (isShort(raw)) {
        const node = this.decode(raw);
        assert(node.kind !== 'branch', 'a short node is no branch');
        if (sharedWithPath(key, depth, node.path) !== node.path.length) return undefined;
        depth += node.path.length;
        if (node.kind === 'leaf') return depth === nibbles ? node.value : undefined;
        child = itemEnd(raw, payloadStart(raw, 0));
      } else {
        child = branchItemStart(raw, depth === nibbles ? 16 : nibbleAt(key, depth));
        if (raw[child] === 0x80) return undefined;
        if (depth === nibbles) return raw.subarray(payloadStart(raw, child), itemEnd(raw, child));
        depth++;
      }
      const isHash = raw[child] === 0xa0;
      raw = isHash ? this.load(raw, child + 1) : raw.subarray(child, itemEnd(raw, child));
      if (isHash) passed?.push(raw);
    }
  }

  load(bytes: Bytes, at: number): Bytes {
    const cached = this.#cache.get(bytes, at);
    if (cached !== undefined) return cached;
    const hash = bytes.slice(at, at + 32);
    const found = this.#reader(hash);
    if (found === undefined) throw new StorageFault('trie node missing', hash);
    const raw = new Uint8Array(found);
    const actual = this.#keccak256(raw);
    for (let i = 0; i < 32; i++) if (actual[i] !== hash[i]) throw new StorageFault('trie node altered', hash);
    this.#cache.put(hash, raw);
    return raw;
  }

  decode(raw: Bytes): Node {
    const node = decodeNode(raw);
    // The hash matched, so we have written this node ourselves.
    assert(node !== undefined, 'stored bytes are a trie node');
    return node;
  }
}
