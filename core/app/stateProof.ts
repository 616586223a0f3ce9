/** Proofs that lead from an entry of the state to the app hash of the next consensus header (docs/proofs.md). */
import { encodeTrieOp, encodeValueOp } from '../codec/stateProof.ts';
import { simpleMapProof } from '../crypto/merkle.ts';
import { present } from '../lib/assert.ts';
import { type Bytes, EMPTY } from '../lib/bytes.ts';
import { encodeUtf8 } from '../lib/utf8.ts';
import type { Address } from '../types/ids.ts';
import { type AppHashParts, appHashEntries } from './appHash.ts';
import type { EthBlock, View } from './chain.ts';
import { encodeHeader } from './evm/header.ts';

/** One step of CometBFT's ProofOps: from what the step before yields to the root of its own tree. */
export interface ProofOp {
  readonly type: string;
  /** Of this step's tree; empty when the step has one place for its input. */
  readonly key: Bytes;
  readonly data: Bytes;
}

/** CometBFT's ValueOp: a value in a simple map. */
const SIMPLE_VALUE = 'simple:v';
/** A value, or none, under a key of a Merkle-Patricia trie as it is. */
const TRIE = 'orrery:trie';
/** The same where the trie's key is keccak256 of the step's key. */
const SECURE_TRIE = 'orrery:secure-trie';
/** A state root in an Ethereum header, which yields the block's hash. */
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

/** That the module store holds `view.module(key)` under the key, or nothing. `block` is that of the view's height. */
export const proveModuleEntry = (view: View, block: EthBlock, key: Bytes): readonly ProofOp[] => [
  { type: TRIE, key, data: encodeTrieOp(view.proveModule(key)) },
  lastStep(partsOf(view, block), 'modules'),
];

/** That Ethereum's state holds the account, or none. `block` is that of the view's height. */
export const proveEthAccount = (view: View, block: EthBlock, address: Address): readonly ProofOp[] => [
  { type: SECURE_TRIE, key: address, data: encodeTrieOp(view.proveAccount(address)) },
  { type: ETH_HEADER, key: EMPTY, data: encodeHeader(block.header) },
  lastStep(partsOf(view, block), 'ethereum'),
];
