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

/** Places with the same path in both tries, and that path. */
interface Pair {
  readonly older: Place | undefined;
  readonly newer: Place;
  readonly path: Bytes;
}

/**
 * The keys, in order, whose value in the newer trie is absent or different in the older one. Subtries that both share
 * are skipped. All keys have the same length, as in Ethereum's state. Yields after each few nodes, undefined if they
 * held no such key: millions of keys may have changed, so the caller decides when to pause and when to stop.
 */
export function* changedKeys(trie: NodeSource, older: Hash, newer: Hash): Generator<Bytes | undefined> {
  const walk = new DiffWalk(trie);
  walk.add(walk.rootOf(older), walk.rootOf(newer), EMPTY);
  for (let pair = walk.next(); pair !== undefined; pair = walk.next()) yield walk.compare(pair);
}

class DiffWalk {
  readonly #trie: NodeSource;
  /** What is still to be compared, in reverse order. */
  readonly #open: Pair[] = [];

  constructor(trie: NodeSource) {
    this.#trie = trie;
  }

  rootOf(root: Hash): Place | undefined {
    if (isEmptyRoot(root)) return undefined;
    const item = new Uint8Array(33);
    item[0] = 0xa0;
    item.set(root, 1);
    return this.#placeOf(item);
  }

  next(): Pair | undefined {
    return this.#open.pop();
  }

  add(older: Place | undefined, newer: Place | undefined, path: Bytes): void {
    if (newer === undefined || isSame(older, newer)) return;
    this.#open.push({ older, newer, path });
  }

  /** The key of a leaf that changed; otherwise adds what is below. */
  compare({ older, newer, path }: Pair): Bytes | undefined {
    const value = valueAt(newer);
    if (value !== undefined) {
      const before = older === undefined ? undefined : valueAt(older);
      if (before === undefined || !equalBytes(before, value)) return joinKey(EMPTY, 0, path);
      return undefined;
    }
    for (let slot = 15; slot >= 0; slot--) {
      const below = this.#child(newer, slot);
      if (below === undefined) continue;
      const longer = new Uint8Array(path.length + 1);
      longer.set(path);
      longer[path.length] = slot;
      this.add(older === undefined ? undefined : this.#child(older, slot), below, longer);
    }
    return undefined;
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
