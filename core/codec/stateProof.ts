/** Encodings of proofs of the application's state (docs/proofs.md). `ValueOp` is CometBFT's own. */
import type { Bytes } from '../lib/bytes.ts';
import type { Proof } from '../types/block.ts';
import { bytes, embed, repeatedBytes } from './fields.ts';
import { PROOF } from './part.ts';
import { encode, table } from './proto.ts';

const KEY_BYTES_MAX = 128;
/** Enough for a branch of sixteen hashes and a value that is a whole module entry. */
const NODE_BYTES_MAX = 1024 * 1024;
/** One node per nibble, with two nibbles per byte. */
const NODES_MAX = 2 * KEY_BYTES_MAX + 1;

interface ValueOp {
  readonly key: Bytes;
  readonly proof: Proof;
}

interface TrieOp {
  readonly nodes: readonly Bytes[];
}

export const VALUE_OP = table<ValueOp>('ValueOp', [bytes(1, 'key', KEY_BYTES_MAX), embed(2, 'proof', PROOF)]);

export const TRIE_OP = table<TrieOp>('TrieOp', [repeatedBytes(1, 'nodes', NODE_BYTES_MAX, NODES_MAX)]);

export const encodeValueOp = (key: Bytes, proof: Proof): Bytes => encode(VALUE_OP, { key, proof });
export const encodeTrieOp = (nodes: readonly Bytes[]): Bytes => encode(TRIE_OP, { nodes });
