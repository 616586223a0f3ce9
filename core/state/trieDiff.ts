import { assert } from '../lib/assert.ts';
import { type Bytes, EMPTY, equalBytes } from '../lib/bytes.ts';
import type { Hash } from '../types/ids.ts';
import { joinKey } from './nibbles.ts';
import { type Item, isEmptyItem, isEmptyRoot, isHashItem, type Node, type NodeSource } from './trieNode.ts';

/** A position in a trie: a node, and how many nibbles of a short node's path have been passed. */
interface Place {
  readonly node: Node;
  readonly passed: number;
  /** The parent's reference to the node; undefined in the middle of a path. */
  readonly item: Item | undefined;
}

/**
 * At most `limitMax` keys, in order, whose value in the newer trie is absent or different in the older one. Subtries
 * that both share are skipped. All keys have the same length, as in Ethereum's state.
 */
export function changedKeys(trie: NodeSource, older: Hash, newer: Hash, limitMax: number): Bytes[] {
  const walk = new DiffWalk(trie, limitMax);
  walk.compare(walk.rootOf(older), walk.rootOf(newer), EMPTY);
  return walk.found;
}

class DiffWalk {
  readonly found: Bytes[] = [];
  readonly #trie: NodeSource;
  readonly #limitMax: number;

  constructor(trie: NodeSource, limitMax: number) {
    assert(limitMax > 0, 'a difference has a limit');
    this.#trie = trie;
    this.#limitMax = limitMax;
  }

  rootOf(root: Hash): Place | undefined {
    if (isEmptyRoot(root)) return undefined;
    const item = new Uint8Array(33);
    item[0] = 0xa0;
    item.set(root, 1);
    return this.#placeOf(item);
  }

  compare(older: Place | undefined, newer: Place | undefined, path: Bytes): void {
    if (newer === undefined || this.found.length >= this.#limitMax || isSame(older, newer)) return;
    const value = valueAt(newer);
    if (value !== undefined) {
      const before = older === undefined ? undefined : valueAt(older);
      if (before === undefined || !equalBytes(before, value)) this.found.push(joinKey(EMPTY, 0, path));
      return;
    }
    for (let slot = 0; slot < 16; slot++) {
      const below = this.#child(newer, slot);
      if (below === undefined) continue;
      const longer = new Uint8Array(path.length + 1);
      longer.set(path);
      longer[path.length] = slot;
      this.compare(older === undefined ? undefined : this.#child(older, slot), below, longer);
    }
  }

  #placeOf(item: Item): Place | undefined {
    if (isEmptyItem(item)) return undefined;
    const raw = isHashItem(item) ? this.#trie.load(item, 1) : item;
    return { node: this.#trie.decode(raw), passed: 0, item };
  }

  #child({ node, passed }: Place, slot: number): Place | undefined {
    if (node.kind === 'branch') return this.#placeOf(node.item(slot));
    if (node.path[passed] !== slot) return undefined;
    if (node.kind === 'extension' && passed + 1 === node.path.length) return this.#placeOf(node.child);
    return { node, passed: passed + 1, item: undefined };
  }
}

const isSame = (older: Place | undefined, newer: Place): boolean =>
  older?.item !== undefined && newer.item !== undefined && equalBytes(older.item, newer.item);

/** The value of a leaf whose path ends here. */
const valueAt = ({ node, passed }: Place): Bytes | undefined =>
  node.kind === 'leaf' && passed === node.path.length ? node.value : undefined;
