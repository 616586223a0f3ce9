/** Proofs that link an entry of the state to the app hash in the next consensus header (docs/proofs.md). */
import { encodeTrieOp, encodeValueOp } from '../codec/stateProof.ts';
import { simpleMapProof } from '../crypto/merkle.ts';
import { present } from '../lib/assert.ts';
import { type Bytes, EMPTY } from '../lib/bytes.ts';
import { encodeUtf8 } from '../lib/utf8.ts';
import type { Address } from '../types/ids.ts';
import { type AppHashParts, appHashEntries } from './appHash.ts';
import type { EthBlock, View } from './chain.ts';
import { encodeHeader } from './evm/header.ts';

/**
 * One step of CometBFT's ProofOps: it proves that the previous step's output is in a tree, and yields that tree's root.
 */
export interface ProofOp {
  readonly type: string;
  /** Key in this step's tree; empty when the step has only one place for its input. */
  readonly key: Bytes;
  readonly data: Bytes;
}

/** CometBFT's ValueOp: a value in a simple map. */
const SIMPLE_VALUE = 'simple:v';
/** A value under a key of a Merkle-Patricia trie, or its absence. The trie uses the key itself. */
const TRIE = 'orrery:trie';
/** The same, but the trie uses keccak256 of the key. */
const SECURE_TRIE = 'orrery:secure-trie';
/** A state root in an Ethereum header; yields the block hash. */
const ETH_HEADER = 'orrery:eth-header';

function lastStep(parts: AppHashParts, name: 'ethereum' | 'modules'): ProofOp {
  const key = encodeUtf8(name);
  const proof = present(simpleMapProof(appHashEntries(parts), name), 'a part of the app hash');
  return { type: SIMPLE_VALUE, key, data: encodeValueOp(key, proof) };
}

const partsOf = (view: View, block: EthBlock): AppHashParts => ({
  ethBlockHash: block.hash,
  modulesRoot: view.modulesRoot,
});

/** Proves that the module store holds `view.module(key)`, or nothing, under the key. `block` is the view's block. */
export const proveModuleEntry = (view: View, block: EthBlock, key: Bytes): readonly ProofOp[] => [
  { type: TRIE, key, data: encodeTrieOp(view.proveModule(key)) },
  lastStep(partsOf(view, block), 'modules'),
];

/** Proves that Ethereum's state holds the account, or does not. `block` is the view's block. */
export const proveEthAccount = (view: View, block: EthBlock, address: Address): readonly ProofOp[] => [
  { type: SECURE_TRIE, key: address, data: encodeTrieOp(view.proveAccount(address)) },
  { type: ETH_HEADER, key: EMPTY, data: encodeHeader(block.header) },
  lastStep(partsOf(view, block), 'ethereum'),
];
