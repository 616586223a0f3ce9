/** Nodes of the Merkle-Patricia trie in the forms that reading and rewriting need. */
import { assert } from '../lib/assert.ts';
import { type Bytes, equalBytes } from '../lib/bytes.ts';
import { EMPTY_ROOT } from '../store/roots.ts';
import type { Hash } from '../types/ids.ts';
import { decodeHexPrefix, encodeHexPrefix } from './nibbles.ts';
import { EMPTY_ITEM, encodeList, encodeString, itemEnd, itemStarts, payloadStart } from './rlp.ts';

export const isEmptyRoot = (root: Hash): boolean => equalBytes(root, EMPTY_ROOT);

/** Keys are 1 to this many bytes, so that a walk has a bound. */
export const TRIE_KEY_BYTES_MAX = 128;

/** Where updates and iterations get the nodes they do not hold. */
export interface NodeSource {
  /** The encoding of the node whose hash stands in `bytes` at `at`. A missing or altered node is a storage fault. */
  load(bytes: Bytes, at: number): Bytes;
  decode(raw: Bytes): Node;
}

/**
 * How a parent names a child: the RLP item that stands in the parent. 33 bytes `a0 ‖ hash`, or the child's own
 * encoding when that is shorter than 32 bytes, or EMPTY_ITEM.
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

/** A branch being rewritten: the old encoding, and per slot what takes the place of the old item. */
export class Branch {
  readonly kind = 'branch';
  readonly #raw: Bytes | undefined;
  readonly #starts: readonly number[];
  /** Undefined where the old item stands. */
  readonly #items: (Item | undefined)[] = new Array<Item | undefined>(BRANCH_ITEMS).fill(undefined);

  private constructor(raw: Bytes | undefined, starts: readonly number[]) {
    this.#raw = raw;
    this.#starts = starts;
  }

  static empty(): Branch {
    return new Branch(undefined, []);
  }

  static of(raw: Bytes): Branch | undefined {
    const starts = itemStarts(raw, BRANCH_ITEMS);
    return starts === undefined ? undefined : new Branch(raw, starts);
  }

  item(slot: number): Item {
    const item = this.#items[slot];
    if (item !== undefined) return item;
    if (this.#raw === undefined) return EMPTY_ITEM;
    const start = this.#starts[slot] as number;
    const end = this.#starts[slot + 1] as number;
    return end - start === 1 && this.#raw[start] === 0x80 ? EMPTY_ITEM : this.#raw.subarray(start, end);
  }

  setItem(slot: number, item: Item): void {
    this.#items[slot] = item;
  }

  /** The value of the key that ends here. */
  value(): Bytes | undefined {
    const item = this.item(VALUE);
    return isEmptyItem(item) ? undefined : item.subarray(payloadStart(item, 0));
  }

  setValue(value: Bytes | undefined): void {
    this.#items[VALUE] = value === undefined ? EMPTY_ITEM : encodeString(value);
  }

  encode(): Bytes {
    const items: Item[] = [];
    for (let slot = 0; slot < BRANCH_ITEMS; slot++) items.push(this.item(slot));
    return encodeList(items);
  }
}

export type Node = Leaf | Extension | Branch;

export const encodeNode = (node: Node): Bytes =>
  node.kind === 'branch'
    ? node.encode()
    : encodeList([
        encodeString(encodeHexPrefix(node.path, node.kind === 'leaf')),
        node.kind === 'leaf' ? encodeString(node.value) : node.child,
      ]);

/** Undefined when `raw` is no trie node. */
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

/** Two items and no more: a leaf or an extension. */
export function isShort(raw: Bytes): boolean {
  const second = itemEnd(raw, payloadStart(raw, 0));
  return itemEnd(raw, second) === raw.length;
}

/** Where the item of `slot` begins in an encoded branch. */
export function branchItemStart(raw: Bytes, slot: number): number {
  assert(slot >= 0 && slot < BRANCH_ITEMS, 'branch slot');
  let at = payloadStart(raw, 0);
  for (let i = 0; i < slot; i++) at = itemEnd(raw, at);
  return at;
}
