/** Applies one batch of changes to a trie. Every touched node is rebuilt once, from the leaves up, and hashed once. */
import { assert } from '../lib/assert.ts';
import { type Bytes, compareBytes, equalBytes } from '../lib/bytes.ts';
import { EMPTY_ROOT } from '../store/roots.ts';
import type { Hash } from '../types/ids.ts';
import { joinKey, nibbleAt, nibblesFrom, prepend, sharedByKeys, sharedWithPath } from './nibbles.ts';
import type { NodeCache } from './nodeCache.ts';
import { EMPTY_ITEM } from './rlp.ts';
import {
  Branch,
  type Extension,
  encodeNode,
  type Item,
  isEmptyItem,
  isEmptyRoot,
  isHashItem,
  type Leaf,
  type Node,
  type NodeSource,
  TRIE_KEY_BYTES_MAX,
} from './trieNode.ts';

export interface Change {
  readonly key: Bytes;
  /** Not empty; undefined deletes the key. */
  readonly value: Bytes | undefined;
}

export interface TrieUpdateResult {
  readonly root: Hash;
  /** Every node of the new trie that may not be in the old one: [hash, encoding]. */
  readonly nodes: readonly (readonly [Hash, Bytes])[];
}

/** A node without a reference yet: it may still be merged into its parent. undefined means that nothing is left. */
type Built = Node | undefined;
/** Nothing below has changed, so the parent keeps its item. */
const SAME = Symbol('same');

export class TrieUpdate {
  readonly #trie: NodeSource;
  readonly #keccak256: (bytes: Bytes) => Hash;
  readonly #cache: NodeCache;
  readonly #nodes: (readonly [Hash, Bytes])[] = [];

  constructor(trie: NodeSource, keccak256: (bytes: Bytes) => Hash, cache: NodeCache) {
    this.#trie = trie;
    this.#keccak256 = keccak256;
    this.#cache = cache;
  }

  run(root: Hash, changes: readonly Change[]): TrieUpdateResult {
    assertSorted(changes);
    if (changes.length === 0) return { root, nodes: [] };
    const before = isEmptyRoot(root) ? undefined : this.#trie.decode(this.#trie.load(root, 0));
    const after = this.#apply(before, changes, 0);
    if (after === SAME) return { root, nodes: [] };
    // The root is referred to by its hash even if its encoding is short.
    return { root: after === undefined ? EMPTY_ROOT : this.#store(encodeNode(after)), nodes: this.#nodes };
  }

  #store(raw: Bytes): Hash {
    const hash = this.#keccak256(raw);
    this.#nodes.push([hash, raw]);
    this.#cache.put(hash, raw);
    return hash;
  }

  #name(node: Node): Item {
    const raw = encodeNode(node);
    if (raw.length < 32) return raw;
    const item = new Uint8Array(33);
    item[0] = 0xa0;
    item.set(this.#store(raw), 1);
    return item;
  }

  #resolve(item: Item): Built {
    if (isEmptyItem(item)) return undefined;
    return this.#trie.decode(isHashItem(item) ? this.#trie.load(item, 1) : item);
  }

  /** Applies `changes` to the subtree `node`. All keys in it and in the changes share the first `depth` nibbles. */
  #apply(node: Built, changes: readonly Change[], depth: number): Built | typeof SAME {
    if (node === undefined) {
      const puts = changes.filter((change) => change.value !== undefined);
      return puts.length === 0 ? SAME : this.#build(puts, depth);
    }
    switch (node.kind) {
      case 'leaf':
        return this.#applyToLeaf(node, changes, depth);
      case 'extension':
        return this.#applyToExtension(node, changes, depth);
      case 'branch':
        return this.#applyToBranch(node, new Map(), changes, depth);
    }
  }

  #applyToLeaf(leaf: Leaf, changes: readonly Change[], depth: number): Built | typeof SAME {
    const key = joinKey((changes[0] as Change).key, depth, leaf.path);
    const entries: Change[] = [];
    let leafPlaced = false;
    let changed = false;
    for (const change of changes) {
      const order = leafPlaced ? 1 : compareBytes(change.key, key);
      if (order > 0 && !leafPlaced) {
        entries.push({ key, value: leaf.value });
        leafPlaced = true;
      }
      if (order === 0) leafPlaced = true;
      if (change.value !== undefined) entries.push(change);
      const old = order === 0 ? leaf.value : undefined;
      changed ||= !equalValue(old, change.value);
    }
    if (!changed) return SAME;
    if (!leafPlaced) entries.push({ key, value: leaf.value });
    return this.#build(entries, depth);
  }

  #applyToExtension(node: Extension, changes: readonly Change[], depth: number): Built | typeof SAME {
    const { path } = node;
    let shared = path.length;
    for (const change of changes) {
      // Deleting a key that is not on the path has no effect.
      const here = sharedWithPath(change.key, depth, path);
      if (change.value !== undefined && here < shared) shared = here;
    }
    const relevant = changes.filter(
      (change) => change.value !== undefined || sharedWithPath(change.key, depth, path) === path.length,
    );
    if (relevant.length === 0) return SAME;
    if (shared === path.length) {
      const child = this.#apply(this.#resolve(node.child), relevant, depth + shared);
      return child === SAME ? SAME : this.#under(path, child);
    }
    const branch = Branch.empty();
    const pending = new Map<number, Built>();
    const slot = path[shared] as number;
    if (shared + 1 === path.length) branch.setItem(slot, node.child);
    else pending.set(slot, { kind: 'extension', path: path.slice(shared + 1), child: node.child });
    const split = this.#applyToBranch(branch, pending, relevant, depth + shared);
    assert(split !== SAME, 'an insertion splits the extension');
    return this.#under(path.slice(0, shared), split);
  }

  /** `pending` holds children to which the branch has no reference yet. */
  #applyToBranch(
    branch: Branch,
    pending: Map<number, Built>,
    changes: readonly Change[],
    depth: number,
  ): Built | typeof SAME {
    let changed = pending.size > 0;
    let from = 0;
    const first = changes[0] as Change;
    if (first.key.length * 2 === depth) {
      from = 1;
      if (!equalValue(branch.value(), first.value)) {
        branch.setValue(first.value);
        changed = true;
      }
    }
    while (from < changes.length) {
      const slot = nibbleAt((changes[from] as Change).key, depth);
      let to = from + 1;
      while (to < changes.length && nibbleAt((changes[to] as Change).key, depth) === slot) to++;
      const child = pending.has(slot) ? pending.get(slot) : this.#resolve(branch.item(slot));
      const after = this.#apply(child, changes.slice(from, to), depth + 1);
      if (after !== SAME) {
        pending.set(slot, after);
        changed = true;
      }
      from = to;
    }
    return changed ? this.#settle(branch, pending) : SAME;
  }

  /** Adds references to the pending children, or collapses a branch with fewer than two entries. */
  #settle(branch: Branch, pending: Map<number, Built>): Built {
    const value = branch.value();
    let count = value === undefined ? 0 : 1;
    let last = -1;
    for (let slot = 0; slot < 16 && count < 2; slot++) {
      const isThere = pending.has(slot) ? pending.get(slot) !== undefined : !branch.isEmptyAt(slot);
      if (!isThere) continue;
      count++;
      last = slot;
    }
    if (count >= 2) {
      for (const [slot, child] of pending)
        branch.setItem(slot, child === undefined ? EMPTY_ITEM : this.#name(child));
      return branch;
    }
    if (last === -1)
      return value === undefined ? undefined : { kind: 'leaf', path: new Uint8Array(0), value };
    const path = Uint8Array.of(last);
    if (pending.has(last)) return this.#under(path, pending.get(last));
    const item = branch.item(last);
    const child = this.#resolve(item);
    // An untouched branch keeps its reference, so it need not be encoded and hashed again.
    return child?.kind === 'branch' ? { kind: 'extension', path, child: item } : this.#under(path, child);
  }

  /** Puts `path` in front of the node. Leaves and extensions take it into their own path. */
  #under(path: Bytes, node: Built): Built {
    if (node === undefined || path.length === 0) return node;
    if (node.kind === 'branch') return { kind: 'extension', path, child: this.#name(node) };
    let longer = node.path;
    for (let i = path.length - 1; i >= 0; i--) longer = prepend(path[i] as number, longer);
    return node.kind === 'leaf'
      ? { kind: 'leaf', path: longer, value: node.value }
      : { kind: 'extension', path: longer, child: node.child };
  }

  /** Builds a new subtree of entries that share their first `depth` nibbles. */
  #build(entries: readonly Change[], depth: number): Built {
    const first = entries[0];
    if (first === undefined) return undefined;
    const value = first.value as Bytes;
    if (entries.length === 1) return { kind: 'leaf', path: nibblesFrom(first.key, depth), value };
    const last = entries[entries.length - 1] as Change;
    const shared = sharedByKeys(first.key, last.key, depth);
    const path = nibblesFrom(first.key, depth).slice(0, shared);
    const branch = Branch.empty();
    const at = depth + shared;
    let from = 0;
    if (first.key.length * 2 === at) {
      branch.setValue(value);
      from = 1;
    }
    while (from < entries.length) {
      const slot = nibbleAt((entries[from] as Change).key, at);
      let to = from + 1;
      while (to < entries.length && nibbleAt((entries[to] as Change).key, at) === slot) to++;
      const child = this.#build(entries.slice(from, to), at + 1);
      assert(child !== undefined, 'a group of entries is not empty');
      branch.setItem(slot, this.#name(child));
      from = to;
    }
    return this.#under(path, branch);
  }
}

const equalValue = (a: Bytes | undefined, b: Bytes | undefined): boolean =>
  a === undefined || b === undefined ? a === b : equalBytes(a, b);

function assertSorted(changes: readonly Change[]): void {
  for (let i = 0; i < changes.length; i++) {
    const { key, value } = changes[i] as Change;
    assert(key.length > 0 && key.length <= TRIE_KEY_BYTES_MAX, 'trie key length');
    assert(value === undefined || value.length > 0, 'a trie value is not empty');
    if (i > 0) assert(compareBytes((changes[i - 1] as Change).key, key) < 0, 'changes ascend by key');
  }
}
