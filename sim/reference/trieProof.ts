/** Checks proofs of Ethereum's trie from the root down, with an RLP reader of its own. */
import { type Bytes, equalBytes } from '../../core/lib/bytes.ts';
import { type Keccak, nibblesOf } from './trieRoot.ts';

/** One RLP item: its content, its whole encoding, and whether it is a list. */
interface Item {
  readonly content: Bytes;
  readonly whole: Bytes;
  readonly isList: boolean;
}

/** The first RLP item of some bytes, and the bytes after it. */
function readItem(from: Bytes): { readonly item: Item; readonly rest: Bytes } {
  const first = from[0] ?? 0;
  const isList = first >= 0xc0;
  const short = isList ? first - 0xc0 : first - 0x80;
  let [start, length] = first < 0x80 ? [0, 1] : [1, short];
  if (short > 55) {
    start += short - 55;
    length = from.slice(1, start).reduce((sum, digit) => sum * 256 + digit, 0);
  }
  const end = start + length;
  const item = { content: from.slice(start, end), whole: from.slice(0, end), isList };
  return { item, rest: from.slice(end) };
}

export function itemsOf(node: Bytes): readonly Item[] {
  const items: Item[] = [];
  for (let rest = readItem(node).item.content; rest.length > 0; ) {
    const next = readItem(rest);
    items.push(next.item);
    rest = next.rest;
  }
  return items;
}

const EMPTY_TRIE = Uint8Array.of(0x80);

/**
 * What a proof shows under a key of the trie; `value` is undefined for a proof of absence. The result is undefined if
 * the proof proves neither, or has unneeded nodes.
 */
export function proven(
  root: Bytes,
  key: Bytes,
  proof: readonly Bytes[],
  keccak: Keccak,
): { readonly value: Bytes | undefined } | undefined {
  if (proof.length === 0) return equalBytes(root, keccak(EMPTY_TRIE)) ? { value: undefined } : undefined;
  let path = nibblesOf(key);
  let name = root;
  for (const [i, node] of proof.entries()) {
    if (!equalBytes(keccak(node), name)) return undefined;
    const isLast = i === proof.length - 1;
    const step = descend(node, path);
    if (!('name' in step)) return isLast ? step : undefined;
    ({ name, path } = step);
  }
  return undefined;
}

type Step = { readonly value: Bytes | undefined } | { readonly name: Bytes; readonly path: Bytes };

/** Follows the path through one node and the nodes embedded in it. */
function descend(node: Bytes, path: Bytes): Step {
  const items = itemsOf(node);
  const [head, below] = items;
  if (head === undefined || below === undefined) return { value: undefined };
  if (items.length > 2) {
    const child = items[path[0] ?? 16];
    return child === undefined ? { value: undefined } : follow(child, path.slice(1));
  }
  const flag = (head.content[0] ?? 0) >> 4;
  const nibbles = nibblesOf(head.content).slice(flag % 2 === 1 ? 1 : 2);
  if (!equalBytes(nibbles, path.slice(0, nibbles.length))) return { value: undefined };
  if (flag < 2) return follow(below, path.slice(nibbles.length));
  return { value: nibbles.length === path.length ? below.content : undefined };
}

function follow({ content, whole, isList }: Item, path: Bytes): Step {
  if (isList) return descend(whole, path);
  return content.length === 0 ? { value: undefined } : { name: content, path };
}
