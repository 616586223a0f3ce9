import { type Bytes, compareBytes, hex } from '../../lib/bytes.ts';
import { bigintToBytes } from './numbers.ts';
import { encodeRlp, type RlpItem } from './rlp.ts';

/** Root of the empty trie: keccak256 of the RLP empty string. */
export const EMPTY_TRIE_ROOT: Bytes = hex('56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421');

interface Leaf {
  readonly nibbles: Bytes;
  readonly value: Bytes;
}

type Keccak = (message: Bytes) => Bytes;
const EMPTY_ITEM = new Uint8Array(0);

/** Hex-prefix encoding (Yellow Paper appendix C). */
function hexPrefix(nibbles: Bytes, isLeaf: boolean): Bytes {
  const odd = nibbles.length % 2;
  const out = new Uint8Array((nibbles.length - odd) / 2 + 1);
  out[0] = (isLeaf ? 0x20 : 0) + (odd === 1 ? 0x10 + (nibbles[0] as number) : 0);
  for (let i = odd; i < nibbles.length; i += 2) {
    out[(i - odd) / 2 + 1] = (nibbles[i] as number) * 16 + (nibbles[i + 1] as number);
  }
  return out;
}

/** How many nibbles all leaves share from `depth` on. The leaves are sorted, so the first and the last suffice. */
function sharedLength(leaves: readonly Leaf[], depth: number): number {
  const first = (leaves[0] as Leaf).nibbles;
  const last = (leaves[leaves.length - 1] as Leaf).nibbles;
  let at = depth;
  while (at < first.length && at < last.length && first[at] === last[at]) at++;
  return at - depth;
}

/** A node as its parent stores it: the node itself if its RLP is shorter than 32 bytes, else its hash. */
function reference(node: RlpItem, keccak256: Keccak): RlpItem {
  const encoded = encodeRlp(node);
  return encoded.length < 32 ? node : keccak256(encoded);
}

function branch(leaves: readonly Leaf[], depth: number, keccak256: Keccak): RlpItem {
  const slots: RlpItem[] = new Array<RlpItem>(17).fill(EMPTY_ITEM);
  let from = 0;
  const first = leaves[0] as Leaf;
  if (first.nibbles.length === depth) {
    slots[16] = first.value;
    from = 1;
  }
  while (from < leaves.length) {
    const nibble = (leaves[from] as Leaf).nibbles[depth] as number;
    let to = from + 1;
    while (to < leaves.length && (leaves[to] as Leaf).nibbles[depth] === nibble) to++;
    slots[nibble] = reference(node(leaves.slice(from, to), depth + 1, keccak256), keccak256);
    from = to;
  }
  return slots;
}

function node(leaves: readonly Leaf[], depth: number, keccak256: Keccak): RlpItem {
  const only = leaves[0] as Leaf;
  if (leaves.length === 1) return [hexPrefix(only.nibbles.slice(depth), true), only.value];
  const shared = sharedLength(leaves, depth);
  if (shared === 0) return branch(leaves, depth, keccak256);
  const path = hexPrefix(only.nibbles.slice(depth, depth + shared), false);
  return [path, reference(branch(leaves, depth + shared, keccak256), keccak256)];
}

const toNibbles = (key: Bytes): Bytes => {
  const out = new Uint8Array(key.length * 2);
  key.forEach((byte, i) => {
    out[2 * i] = byte >> 4;
    out[2 * i + 1] = byte & 15;
  });
  return out;
};

/**
 * Root of the Merkle-Patricia trie from RLP(index) to value: transactionsRoot and receiptsRoot. Built bottom-up in one
 * pass, so each node is hashed once.
 */
export function orderedTrieRoot(values: readonly Bytes[], keccak256: Keccak): Bytes {
  if (values.length === 0) return EMPTY_TRIE_ROOT;
  const leaves = values
    .map((value, i) => ({ nibbles: toNibbles(encodeRlp(bigintToBytes(BigInt(i)))), value }))
    .sort((a, b) => compareBytes(a.nibbles, b.nibbles));
  return keccak256(encodeRlp(node(leaves, 0, keccak256)));
}
