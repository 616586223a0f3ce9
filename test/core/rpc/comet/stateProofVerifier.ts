/**
 * What a light client does with `proofOps` (docs/proofs.md), written without a line of ours: the trie is verified by
 * @ethereumjs/mpt, protobuf read by protobufjs, hashes are node's and viem's.
 */
import { createHash } from 'node:crypto';
import { verifyMerkleProof } from '@ethereumjs/mpt';
import { RLP } from '@ethereumjs/rlp';
import protobuf from 'protobufjs';
import { keccak256 } from 'viem';

export interface ProofOpJson {
  readonly type: string;
  readonly key: string | null;
  readonly data: string | null;
}

const { root } = protobuf.parse(
  `syntax = "proto3";
  message Proof { int64 total = 1; int64 index = 2; bytes leaf_hash = 3; repeated bytes aunts = 4; }
  message ValueOp { bytes key = 1; Proof proof = 2; }
  message TrieOp { repeated bytes nodes = 1; }`,
  { keepCase: true },
);

interface Decoded {
  readonly key: Uint8Array;
  readonly nodes: readonly Uint8Array[];
  readonly proof: { readonly index: number; readonly total: number; readonly aunts: readonly Uint8Array[] };
}

const read = (type: string, data: Uint8Array): Decoded => {
  const message = root.lookupType(type);
  return message.toObject(message.decode(data), { longs: Number, arrays: true, defaults: true }) as Decoded;
};

const sha256 = (...parts: readonly (Uint8Array | readonly number[])[]): Buffer =>
  createHash('sha256')
    .update(Buffer.concat(parts.map((part) => Uint8Array.from(part))))
    .digest();

const keccak = (bytes: Uint8Array): Uint8Array => keccak256(bytes, 'bytes');

const same = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;

/** CometBFT's tree of two leaves: all that the app hash has. */
function simpleMapRoot(key: Uint8Array, value: Uint8Array, proof: Decoded['proof']): Uint8Array {
  const leaf = sha256([0], [key.length], key, [32], sha256(value));
  if (proof.total !== 2 || proof.aunts.length !== 1) throw new Error('the app hash has two parts');
  const [aunt] = proof.aunts as readonly [Uint8Array];
  return proof.index === 0 ? sha256([1], leaf, aunt) : sha256([1], aunt, leaf);
}

async function trieRoot(key: Uint8Array, value: Uint8Array | undefined, nodes: readonly Uint8Array[]) {
  const [first] = nodes;
  // An empty trie has no node to show.
  if (first === undefined) return keccak(RLP.encode(new Uint8Array(0)));
  const trie = keccak(first);
  const found = await verifyMerkleProof(key, [...nodes], { root: trie, useKeyHashing: false });
  if (value === undefined ? found !== null : found === null || !same(found, value))
    throw new Error('the trie says otherwise');
  return trie;
}

/** Throws unless `ops` prove that `key` of `store` holds `value` (undefined: nothing) under this app hash. */
export async function verifyStateProof(
  appHash: Uint8Array,
  store: 'modules' | 'ethereum',
  key: Uint8Array,
  value: Uint8Array | undefined,
  ops: readonly ProofOpJson[],
): Promise<void> {
  const types = ops.map(({ type }) => type).join();
  const path = store === 'modules' ? 'orrery:trie' : 'orrery:secure-trie,orrery:eth-header';
  if (types !== `${path},simple:v`) throw new Error(`unexpected steps ${types}`);
  const steps = ops.map((op) => ({
    key: Buffer.from(op.key ?? '', 'base64'),
    data: Buffer.from(op.data ?? '', 'base64'),
  }));
  const [entry, last] = [steps[0], steps.at(-1)];
  if (entry === undefined || last === undefined || !same(entry.key, key)) throw new Error('another key');
  const { nodes } = read('TrieOp', entry.data);
  let hash = await trieRoot(store === 'modules' ? key : keccak(key), value, nodes);
  if (store === 'ethereum') {
    const header = (steps[1] as { data: Buffer }).data;
    const fields = RLP.decode(Uint8Array.from(header)) as Uint8Array[];
    if (!same(fields[3] as Uint8Array, hash)) throw new Error('the header has another state root');
    hash = keccak(header);
  }
  const { key: name, proof } = read('ValueOp', last.data);
  if (Buffer.from(name).toString() !== store || !same(last.key, name)) throw new Error('another store');
  if (!same(simpleMapRoot(name, hash, proof), appHash)) throw new Error('another app hash');
}
