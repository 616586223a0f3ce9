import { assert } from '../lib/assert.ts';
import { type Bytes, compareBytes, EMPTY } from '../lib/bytes.ts';
import type { Hash } from '../types/ids.ts';
import { joinKey, nibbleAt, prepend } from './nibbles.ts';
import { type Item, isEmptyItem, isEmptyRoot, isHashItem, type Node, type NodeSource } from './trieNode.ts';

export interface TrieEntry {
  readonly key: Bytes;
  readonly value: Bytes;
}

export interface EntryRange {
  /** Only keys that begin with these bytes. */
  readonly prefix: Bytes;
  /** Only keys after this one (exclusive), for the next page. */
  readonly after?: Bytes;
  readonly limitMax: number;
}

/** Entries in key order. The value of a branch itself comes before its children. */
export function entriesOf(trie: NodeSource, root: Hash, range: EntryRange): TrieEntry[] {
  const found: TrieEntry[] = [];
  if (isEmptyRoot(root)) return found;
  const walk = new EntryWalk(trie, range, found);
  walk.visit(trie.decode(trie.load(root, 0)), new Uint8Array(0));
  return found;
}

class EntryWalk {
  readonly #trie: NodeSource;
  readonly #range: EntryRange;
  readonly #found: TrieEntry[];

  constructor(trie: NodeSource, range: EntryRange, found: TrieEntry[]) {
    assert(range.limitMax > 0, 'a range has a limit');
    this.#trie = trie;
    this.#range = range;
    this.#found = found;
  }

  visit(node: Node, path: Bytes): void {
    if (node.kind === 'branch') {
      const value = node.value();
      if (value !== undefined) this.#take(path, value);
      for (let slot = 0; slot < 16; slot++) this.#descend(node.item(slot), joined(path, Uint8Array.of(slot)));
      return;
    }
    const longer = joined(path, node.path);
    if (node.kind === 'leaf') this.#take(longer, node.value);
    else this.#descend(node.child, longer);
  }

  #take(path: Bytes, value: Bytes): void {
    const key = joinKey(EMPTY, 0, path);
    const { prefix, after } = this.#range;
    if (key.length < prefix.length || compareBytes(key.subarray(0, prefix.length), prefix) !== 0) return;
    if (after !== undefined && compareBytes(key, after) <= 0) return;
    this.#found.push({ key, value });
  }

  #descend(item: Item, path: Bytes): void {
    if (isEmptyItem(item) || this.#found.length >= this.#range.limitMax) return;
    if (!this.#mayHold(path)) return;
    this.visit(this.#trie.decode(isHashItem(item) ? this.#trie.load(item, 1) : item), path);
  }

  /** False if no key below `path` has the prefix, or if all of them come before `after`. */
  #mayHold(path: Bytes): boolean {
    const { prefix, after } = this.#range;
    for (let i = 0; i < path.length && i < prefix.length * 2; i++)
      if (path[i] !== nibbleAt(prefix, i)) return false;
    if (after === undefined) return true;
    for (let i = 0; i < path.length && i < after.length * 2; i++) {
      const difference = (path[i] as number) - nibbleAt(after, i);
      if (difference !== 0) return difference > 0;
    }
    return true;
  }
}

function joined(path: Bytes, rest: Bytes): Bytes {
  if (rest.length === 1 && path.length === 0) return prepend(rest[0] as number, path);
  const longer = new Uint8Array(path.length + rest.length);
  longer.set(path);
  longer.set(rest, path.length);
  return longer;
}
