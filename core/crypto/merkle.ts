/** The Merkle tree of RFC 6962, as used by CometBFT and the Cosmos SDK (crypto/merkle). */
import { assert } from '../lib/assert.ts';
import { type Bytes, compareBytes, equalBytes } from '../lib/bytes.ts';
import { RecentBytes } from '../lib/recentBytes.ts';
import { encodeUtf8 } from '../lib/utf8.ts';
import type { Proof } from '../types/block.ts';
import type { Hash } from '../types/ids.ts';
import { sha256 } from './hash.ts';

/** Root of a tree without leaves: SHA-256 of the empty string. */
export const EMPTY_ROOT: Hash = sha256(new Uint8Array(0));

const LEAF_PREFIX = 0;
const INNER_PREFIX = 1;
/** Prefix and two hashes. Reused between calls: hashing copies it, and nothing else refers to it. */
const innerInput = new Uint8Array(65);
innerInput[0] = INNER_PREFIX;
/** Prefix and a leaf of up to one block part. Reused in the same way. */
const leafInput = new Uint8Array(65_537);
leafInput[0] = LEAF_PREFIX;

/** Cached because a block part is hashed when it arrives and whenever it is read. */
const recent = new RecentBytes<Hash>(4);
const RECENT_BYTES_MIN = 256;

export function leafHash(leaf: Bytes): Hash {
  if (leaf.length < RECENT_BYTES_MIN || leaf.length >= leafInput.length) return hashedLeaf(leaf);
  const known = recent.find(leaf);
  if (known !== undefined) return known;
  const hash = hashedLeaf(leaf);
  recent.add(leaf, hash);
  return hash;
}

function hashedLeaf(leaf: Bytes): Hash {
  const length = leaf.length + 1;
  const input = length <= leafInput.length ? leafInput.subarray(0, length) : new Uint8Array(length);
  input.set(leaf, 1);
  return sha256(input);
}

export function innerHash(left: Hash, right: Hash): Hash {
  assert(left.length === 32 && right.length === 32, 'inner node of hashes that are not 32 bytes');
  innerInput.set(left, 1);
  innerInput.set(right, 33);
  return sha256(innerInput);
}

/** Largest power of two strictly below `count`, for count ≥ 2. */
export function splitPoint(count: number): number {
  let split = 1;
  while (split * 2 < count) split *= 2;
  return split;
}

function rootOf(hashes: readonly Hash[], from: number, to: number): Hash {
  if (to - from === 1) return hashes[from] as Hash;
  const middle = from + splitPoint(to - from);
  return innerHash(rootOf(hashes, from, middle), rootOf(hashes, middle, to));
}

export const merkleRoot = (leaves: readonly Bytes[]): Hash =>
  leaves.length === 0 ? EMPTY_ROOT : rootOf(leaves.map(leafHash), 0, leaves.length);

/** The root, and one proof per leaf. */
export function merkleProofs(leaves: readonly Bytes[]): {
  readonly root: Hash;
  readonly proofs: readonly Proof[];
} {
  const total = leaves.length;
  if (total === 0) return { root: EMPTY_ROOT, proofs: [] };
  const hashes = leaves.map(leafHash);
  const aunts: Hash[][] = hashes.map(() => []);
  // Post-order: a leaf's nearest sibling is pushed first, the root's child last.
  const visit = (from: number, to: number): Hash => {
    if (to - from === 1) return hashes[from] as Hash;
    const middle = from + splitPoint(to - from);
    const left = visit(from, middle);
    const right = visit(middle, to);
    for (let i = from; i < to; i++) (aunts[i] as Hash[]).push(i < middle ? right : left);
    return innerHash(left, right);
  };
  const root = visit(0, total);
  const proofs = hashes.map((hash, index) => ({
    total,
    index,
    leafHash: hash,
    aunts: aunts[index] as Hash[],
  }));
  return { root, proofs };
}

/** The root that a proof leads to; undefined if there are too few or too many aunts or the proof is malformed. */
export function rootOfProof(proof: Proof): Hash | undefined {
  const { total, index, aunts } = proof;
  if (!Number.isSafeInteger(total) || !Number.isSafeInteger(index)) return undefined;
  if (total < 1 || index < 0 || index >= total) return undefined;
  if (proof.leafHash.length !== 32 || aunts.some((aunt) => aunt.length !== 32)) return undefined;
  const path: boolean[] = [];
  let from = 0;
  let to = total;
  while (to - from > 1) {
    const middle = from + splitPoint(to - from);
    const isLeft = index < middle;
    path.push(isLeft);
    if (isLeft) to = middle;
    else from = middle;
  }
  if (path.length !== aunts.length) return undefined;
  let hash = proof.leafHash;
  for (let i = 0; i < aunts.length; i++) {
    const aunt = aunts[i] as Hash;
    hash = path[aunts.length - 1 - i] === true ? innerHash(hash, aunt) : innerHash(aunt, hash);
  }
  return hash;
}

/** Whether `leaf` is at `proof.index` in the tree with this root. */
export function verifyProof(proof: Proof, root: Hash, leaf: Bytes): boolean {
  if (!equalBytes(proof.leafHash, leafHash(leaf))) return false;
  const computed = rootOfProof(proof);
  return computed !== undefined && equalBytes(computed, root);
}

/** Entry of a simple map: length-prefixed name, length-prefixed hash of the value. */
export function simpleMapLeaf(name: string, value: Bytes): Bytes {
  const key = encodeUtf8(name);
  assert(key.length > 0 && key.length < 128, 'simple map name of 1 to 127 bytes');
  const leaf = new Uint8Array(key.length + 34);
  leaf[0] = key.length;
  leaf.set(key, 1);
  leaf[key.length + 1] = 32;
  leaf.set(sha256(value), key.length + 2);
  return leaf;
}

type MapEntry = readonly [name: string, value: Bytes];

const compareNames = (a: MapEntry, b: MapEntry): number => compareBytes(encodeUtf8(a[0]), encodeUtf8(b[0]));

function sortedEntries(entries: readonly MapEntry[]): readonly MapEntry[] {
  for (let i = 1; i < entries.length; i++) {
    const order = compareNames(entries[i - 1] as MapEntry, entries[i] as MapEntry);
    assert(order !== 0, 'simple map name given twice');
    if (order > 0) return sortedEntries([...entries].sort(compareNames));
  }
  return entries;
}

/** Root of the Cosmos SDK's simple map: names sorted byte-wise, values hashed. */
export const simpleMapRoot = (entries: readonly MapEntry[]): Hash =>
  merkleRoot(sortedEntries(entries).map(([name, value]) => simpleMapLeaf(name, value)));

/** Proof that `name` is in the map: it proves the leaf `simpleMapLeaf(name, value)`. undefined if it is missing. */
export function simpleMapProof(entries: readonly MapEntry[], name: string): Proof | undefined {
  const sorted = sortedEntries(entries);
  const index = sorted.findIndex((entry) => entry[0] === name);
  return merkleProofs(sorted.map(([key, value]) => simpleMapLeaf(key, value))).proofs[index];
}
