/** CometBFT's Merkle tree (RFC 6962) written again, to check proofs: from a leaf up to the root. */
import { type Bytes, concat } from '../../core/lib/bytes.ts';

export type Sha256 = (message: Bytes) => Bytes;

/** The position of a leaf, and the hashes that it is combined with on the way up, its sibling first. */
interface MerklePlace {
  readonly total: number;
  readonly index: number;
  readonly aunts: readonly Bytes[];
}

const LEAF = Uint8Array.of(0);
const INNER = Uint8Array.of(1);

/** The root above a leaf; undefined if the number of aunts does not fit the position. */
export function rootAbove(
  leaf: Bytes,
  { total, index, aunts }: MerklePlace,
  sha256: Sha256,
): Bytes | undefined {
  if (index < 0 || index >= total) return undefined;
  if (total === 1) return aunts.length === 0 ? sha256(concat(LEAF, leaf)) : undefined;
  let left = 1;
  while (2 * left < total) left *= 2;
  const [aunt, below] = [aunts.at(-1), aunts.slice(0, -1)];
  const isLeft = index < left;
  const place = isLeft ? { total: left, index } : { total: total - left, index: index - left };
  const child = rootAbove(leaf, { ...place, aunts: below }, sha256);
  if (aunt === undefined || child === undefined) return undefined;
  return sha256(isLeft ? concat(INNER, child, aunt) : concat(INNER, aunt, child));
}

/** A leaf of the Cosmos SDK's simple map: the name and the hash of its value, each after its length. */
export const mapLeaf = (name: Bytes, value: Bytes, sha256: Sha256): Bytes =>
  concat(Uint8Array.of(name.length), name, Uint8Array.of(32), sha256(value));
