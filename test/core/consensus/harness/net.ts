/** Keys, blocks and signed messages of a small test network. */
import { encodeBlock } from '../../../../core/codec/block.ts';
import { headerHash } from '../../../../core/codec/hashes.ts';
import { PartSet } from '../../../../core/codec/partSet.ts';
import { proposalSignBytes, voteSignBytes } from '../../../../core/codec/signBytes.ts';
import { genesisState } from '../../../../core/consensus/chainState.ts';
import { type ConsensusConfig, DEFAULT_CONSENSUS_CONFIG } from '../../../../core/consensus/contract.ts';
import { makeBlock } from '../../../../core/consensus/makeBlock.ts';
import { proposerOf } from '../../../../core/consensus/priority.ts';
import { validatorAddress } from '../../../../core/crypto/addresses.ts';
import { nobleSuite } from '../../../../core/crypto/noble.ts';
import type { CryptoSuite } from '../../../../core/crypto/suite.ts';
import { assert } from '../../../../core/lib/assert.ts';
import { type Bytes, concat, EMPTY, equalBytes } from '../../../../core/lib/bytes.ts';
import { encodeUtf8 } from '../../../../core/lib/utf8.ts';
import {
  type Block,
  type BlockId,
  type Commit,
  EMPTY_COMMIT,
  ZERO_BLOCK_ID,
} from '../../../../core/types/block.ts';
import type { Address, Round, Timestamp } from '../../../../core/types/ids.ts';
import { DEFAULT_PARAMS } from '../../../../core/types/params.ts';
import type { ChainState } from '../../../../core/types/state.ts';
import { findByAddress, type PublicKey } from '../../../../core/types/validator.ts';
import type { Proposal, Vote, VoteType } from '../../../../core/types/vote.ts';

/** Signatures that only tell true from false: fast, and anyone could forge them. Enough to test what checks them. */
export const keyedSuite: CryptoSuite = {
  ...nobleSuite,
  name: 'keyed',
  ed25519PublicKey: (seed) => nobleSuite.sha256(seed),
  ed25519Sign: (seed, message) => keyedSign(nobleSuite.sha256(seed), message),
  ed25519Verify: (key, message, signature) => equalBytes(keyedSign(key, message), signature),
};
const keyedSign = (key: Bytes, message: Bytes): Bytes => {
  const half = nobleSuite.sha256(concat(key, message));
  return concat(half, half);
};

export const CHAIN_ID = 'test-1';
export const GENESIS_SECONDS = 1_700_000_000;
/** Micros: one second after genesis. */
export const NOW = (GENESIS_SECONDS + 1) * 1_000_000;
export const CONFIG: ConsensusConfig = DEFAULT_CONSENSUS_CONFIG;

export interface TestKey {
  readonly seed: Bytes;
  readonly pubKey: PublicKey;
  readonly address: Address;
}

export interface Made {
  readonly block: Block;
  readonly parts: PartSet;
  readonly blockId: BlockId;
}

export function testKey(name: string): TestKey {
  const seed = nobleSuite.sha256(encodeUtf8(name));
  const pubKey: PublicKey = { type: 'ed25519', bytes: keyedSuite.ed25519PublicKey(seed) };
  return { seed, pubKey, address: validatorAddress(pubKey) };
}

/** Genesis state of `powers.length` validators. Validator i is the i-th of the set: equal powers sort by address. */
export function testNet(powers: readonly bigint[]) {
  const named = powers.map((power, i) => ({ key: testKey(`validator ${i}`), power }));
  const genesis = genesisState(
    {
      genesisTime: { seconds: GENESIS_SECONDS, nanos: 0 },
      chainId: CHAIN_ID,
      initialHeight: 1,
      params: DEFAULT_PARAMS,
      validators: named.map(({ key, power }, i) => ({
        address: key.address,
        pubKey: key.pubKey,
        power,
        name: `v${i}`,
      })),
      appHash: EMPTY,
      appState: {},
    },
    { appHash: EMPTY, validators: [], params: undefined },
  );
  assert(genesis.ok, 'test genesis');
  const state = genesis.value;
  const keys = state.validators.validators.map(({ address }) => {
    const found = named.find(({ key }) => equalBytes(key.address, address));
    assert(found !== undefined, 'a key for every validator');
    return found.key;
  });
  return { state, keys };
}

export type TestNet = ReturnType<typeof testNet>;

/** Index in the set of who proposes in a round of the height after `state`. */
export const proposerIndex = (state: ChainState, round: Round): number =>
  findByAddress(state.validators, proposerOf(state.validators, round).address)?.index ?? -1;

export function makeTestBlock(
  net: TestNet,
  state: ChainState,
  proposer: number,
  txs: readonly Bytes[],
  lastCommit: Commit = EMPTY_COMMIT,
): Made {
  const proposerAddress = (net.keys[proposer] as TestKey).address;
  const made = makeBlock(state, { txs, evidence: [], lastCommit, proposerAddress });
  assert(made.ok, 'test block');
  return cut(made.value);
}

export function cut(block: Block): Made {
  const parts = PartSet.of(encodeBlock(block));
  return { block, parts, blockId: { hash: headerHash(block.header), parts: parts.header } };
}

export const at = (seconds: number): Timestamp => ({ seconds: GENESIS_SECONDS + seconds, nanos: 0 });

export function signedVote(
  net: TestNet,
  index: number,
  type: VoteType,
  height: number,
  round: Round,
  blockId: BlockId = ZERO_BLOCK_ID,
  timestamp: Timestamp = at(2),
): Vote {
  const key = net.keys[index] as TestKey;
  const vote: Vote = {
    type,
    height,
    round,
    blockId,
    timestamp,
    validatorAddress: key.address,
    validatorIndex: index,
    signature: EMPTY,
    extension: EMPTY,
    extensionSignature: EMPTY,
  };
  return { ...vote, signature: keyedSuite.ed25519Sign(key.seed, voteSignBytes(CHAIN_ID, vote)) };
}

export function signedProposal(
  net: TestNet,
  index: number,
  height: number,
  round: Round,
  blockId: BlockId,
  polRound: Round = -1,
): Proposal {
  const key = net.keys[index] as TestKey;
  const proposal: Proposal = { height, round, polRound, blockId, timestamp: at(1), signature: EMPTY };
  return { ...proposal, signature: keyedSuite.ed25519Sign(key.seed, proposalSignBytes(CHAIN_ID, proposal)) };
}
