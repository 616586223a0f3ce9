/** Nodes of the Merkle-Patricia trie, in the forms needed for reading and rewriting. */
import { assert, present } from '../lib/assert.ts';
import { type Bytes, equalBytes } from '../lib/bytes.ts';
import { EMPTY_ROOT } from '../store/roots.ts';
import type { Hash } from '../types/ids.ts';
import { decodeHexPrefix, encodeHexPrefix } from './nibbles.ts';
import { EMPTY_ITEM, encodeList, encodeString, itemEnd, itemStarts, payloadStart, startList } from './rlp.ts';

export const isEmptyRoot = (root: Hash): boolean => equalBytes(root, EMPTY_ROOT);

/** Keys have 1 to this many bytes, which bounds every walk. */
export const TRIE_KEY_BYTES_MAX = 128;

/** Loads the nodes that updates and iterations need. */
export interface NodeSource {
  /** The encoding of the node whose hash is at `at` in `bytes`. A missing or altered node is a storage fault. */
  load(bytes: Bytes, at: number): Bytes;
  decode(raw: Bytes): Node;
}

/**
 * A parent's reference to a child, as the RLP item in the parent: 33 bytes `a0 ‖ hash`, or the child's own encoding if
 * that is shorter than 32 bytes, or EMPTY_ITEM.
 */
export type Item = Bytes;

export const isEmptyItem = (item: Item): boolean => item.length === 1 && item[0] === 0x80;
export const isHashItem = (item: Item): boolean => item.length === 33 && item[0] === 0xa0;

export interface Leaf {
  readonly kind: 'leaf';
  readonly path: Bytes;
  readonly value: Bytes;
}

export interface Extension {
  readonly kind: 'extension';
  /** At least one nibble. */
  readonly path: Bytes;
  readonly child: Item;
}

const BRANCH_ITEMS = 17;
const VALUE = 16;

/**
 * A branch being rewritten: the old encoding, and the items that replace old ones. Unchanged items are copied in runs,
 * so a change of one child costs little more than the hash.
 */
export class Branch {
  readonly kind = 'branch';
  readonly #raw: Bytes;
  readonly #starts: readonly number[];
  /** Sparse: undefined where the old item remains. */
  readonly #items: (Item | undefined)[] = [];

  private constructor(raw: Bytes, starts: readonly number[]) {
    this.#raw = raw;
    this.#starts = starts;
  }

  static empty(): Branch {
    return new Branch(EMPTY_BRANCH, EMPTY_STARTS);
  }

  static of(raw: Bytes): Branch | undefined {
    const starts = itemStarts(raw, BRANCH_ITEMS);
    return starts === undefined ? undefined : new Branch(raw, starts);
  }

  isEmptyAt(slot: number): boolean {
    const item = this.#items[slot];
    return item === undefined ? this.#raw[this.#starts[slot] as number] === 0x80 : isEmptyItem(item);
  }

  item(slot: number): Item {
    return (
      this.#items[slot] ?? this.#raw.subarray(this.#starts[slot] as number, this.#starts[slot + 1] as number)
    );
  }

  setItem(slot: number, item: Item): void {
    while (this.#items.length < slot) this.#items.push(undefined);
    this.#items[slot] = item;
  }

  /** The value of the key that ends here. */
  value(): Bytes | undefined {
    if (this.isEmptyAt(VALUE)) return undefined;
    const item = this.item(VALUE);
    return item.subarray(payloadStart(item, 0));
  }

  setValue(value: Bytes | undefined): void {
    this.setItem(VALUE, value === undefined ? EMPTY_ITEM : encodeString(value));
  }

  encode(): Bytes {
    const items = this.#items;
    const starts = this.#starts;
    let length = (starts[BRANCH_ITEMS] as number) - (starts[0] as number);
    for (let slot = 0; slot < items.length; slot++) {
      const item = items[slot];
      if (item !== undefined)
        length += item.length - ((starts[slot + 1] as number) - (starts[slot] as number));
    }
    const { out, start } = startList(length);
    let at = start;
    let from = starts[0] as number;
    for (let slot = 0; slot < items.length; slot++) {
      const item = items[slot];
      if (item === undefined) continue;
      at = copyRun(out, at, this.#raw, from, starts[slot] as number);
      out.set(item, at);
      at += item.length;
      from = starts[slot + 1] as number;
    }
    at = copyRun(out, at, this.#raw, from, starts[BRANCH_ITEMS] as number);
    assert(at === out.length, 'a branch has the length of its items');
    return out;
  }
}

/** A branch without children and value. It is filled before it is stored. */
const EMPTY_BRANCH: Bytes = encodeList(new Array<Item>(BRANCH_ITEMS).fill(EMPTY_ITEM));
const EMPTY_STARTS: readonly number[] = present(itemStarts(EMPTY_BRANCH, BRANCH_ITEMS), 'a list of 17 items');

function copyRun(out: Bytes, at: number, raw: Bytes, from: number, to: number): number {
  if (to > from) out.set(raw.subarray(from, to), at);
  return at + to - from;
}

export type Node = Leaf | Extension | Branch;

export const encodeNode = (node: Node): Bytes =>
  node.kind === 'branch'
    ? node.encode()
    : encodeList([
        encodeString(encodeHexPrefix(node.path, node.kind === 'leaf')),
        node.kind === 'leaf' ? encodeString(node.value) : node.child,
      ]);

/** undefined if `raw` is no trie node. */
export function decodeNode(raw: Bytes): Node | undefined {
  if (!isShort(raw)) return Branch.of(raw);
  const starts = itemStarts(raw, 2);
  if (starts === undefined) return undefined;
  const [pathItem, second] = starts as [number, number];
  const { path, isLeaf } = decodeHexPrefix(raw, payloadStart(raw, pathItem), second);
  return isLeaf
    ? { kind: 'leaf', path, value: raw.subarray(payloadStart(raw, second)) }
    : { kind: 'extension', path, child: raw.subarray(second) };
}

/** Whether the node has only two items, and so is a leaf or an extension. */
export function isShort(raw: Bytes): boolean {
  const second = itemEnd(raw, payloadStart(raw, 0));
  return itemEnd(raw, second) === raw.length;
}

/** Where the item of `slot` begins in an encoded branch. */
export function branchItemStart(raw: Bytes, slot: number): number {
  assert(slot >= 0 && slot < BRANCH_ITEMS, 'branch slot');
  let at = payloadStart(raw, 0);
  for (let i = 0; i < slot; i++) {
    // Nearly all items are EMPTY_ITEM or a hash.
    const first = raw[at];
    at = first === 0x80 ? at + 1 : first === 0xa0 ? at + 33 : itemEnd(raw, at);
  }
  return at;
}
