/** The hashes in a header, and the hash of the header itself (CometBFT spec/core/data_structures.md). */
import { sha256 } from '../crypto/hash.ts';
import { EMPTY_ROOT, merkleRoot } from '../crypto/merkle.ts';
import { type Bytes, EMPTY } from '../lib/bytes.ts';
import { RecentBytes } from '../lib/recentBytes.ts';
import type { Commit, Header } from '../types/block.ts';
import type { Evidence } from '../types/evidence.ts';
import type { Hash, Height } from '../types/ids.ts';
import type { ConsensusParams } from '../types/params.ts';
import type { TxResult } from '../types/result.ts';
import type { PublicKey, ValidatorSet } from '../types/validator.ts';
import { encodeCommitSig } from './commit.ts';
import { encodeInnerEvidence } from './evidence.ts';
import { bytes, embed, int64Big, uint32 } from './fields.ts';
import { BLOCK_ID, CONSENSUS_VERSION, encodeHeader } from './header.ts';
import { RESULT_BYTES_MAX } from './limits.ts';
import { HASHED_PARAMS } from './params.ts';
import { encode, table } from './proto.ts';
import { TIMESTAMP } from './time.ts';
import { PUBLIC_KEY } from './validator.ts';
import { type Writer, written } from './writer.ts';

/** Root of an empty list: no txs, no evidence, no validators, no results. */
export const EMPTY_HASH: Hash = EMPTY_ROOT;

export const SIMPLE_VALIDATOR = table<{ readonly pubKey: PublicKey; readonly power: bigint }>(
  'SimpleValidator',
  [embed(1, 'pubKey', PUBLIC_KEY), int64Big(2, 'power', { name: 'voting_power' })],
);

type ReducedResult = Pick<TxResult, 'code' | 'data' | 'gasWanted' | 'gasUsed'>;

/** The fields of a result that must be equal on every node. Log, info, events and codespace may differ. */
export const REDUCED_TX_RESULT = table<ReducedResult>('ExecTxResult', [
  uint32(1, 'code'),
  bytes(2, 'data', RESULT_BYTES_MAX),
  int64Big(5, 'gasWanted'),
  int64Big(6, 'gasUsed'),
]);

/** Leaves are wrapped as google.protobuf's …Value messages; a default value makes an empty leaf. */
const writeWrapped = (writer: Writer, value: Bytes): void => {
  if (value.length === 0) return;
  writer.uint32(10);
  writer.bytes(value);
};
const wrapped = (value: Bytes): Bytes => (value.length === 0 ? EMPTY : written(writeWrapped, value));

const writeText = (writer: Writer, text: string): void => {
  if (text === '') return;
  writer.uint32(10);
  writer.string(text);
};

const writeHeight = (writer: Writer, height: number): void => {
  if (height === 0) return;
  writer.uint32(8);
  writer.int64(height);
};

export function headerLeaves(header: Header): readonly Bytes[] {
  return [
    encode(CONSENSUS_VERSION, header.version),
    written(writeText, header.chainId),
    written(writeHeight, header.height),
    encode(TIMESTAMP, header.time),
    encode(BLOCK_ID, header.lastBlockId),
    wrapped(header.lastCommitHash),
    wrapped(header.dataHash),
    wrapped(header.validatorsHash),
    wrapped(header.nextValidatorsHash),
    wrapped(header.consensusHash),
    wrapped(header.appHash),
    wrapped(header.lastResultsHash),
    wrapped(header.evidenceHash),
    wrapped(header.proposerAddress),
  ];
}

// Headers, commits and validator sets are immutable, and the same object is hashed in several places.
const headerHashes = new WeakMap<Header, Hash>();
const commitHashes = new WeakMap<Commit, Hash>();
const validatorHashes = new WeakMap<ValidatorSet, Hash>();

function remembered<K extends object>(memo: WeakMap<K, Hash>, key: K, compute: (key: K) => Hash): Hash {
  const known = memo.get(key);
  if (known !== undefined) return known;
  const hash = compute(key);
  memo.set(key, hash);
  return hash;
}

/** The block hash. Empty if the header has no validators hash: no real header lacks one. */
export const headerHash = (header: Header): Hash =>
  header.validatorsHash.length === 0 ? EMPTY : remembered(headerHashes, header, hashOfHeader);

/** Also cached by content: a proposer hashes its header, then an equal one decoded from the block's bytes. */
const recent = new RecentBytes<Hash>(4);

function hashOfHeader(header: Header): Hash {
  const encoded = encodeHeader(header);
  const known = recent.find(encoded);
  if (known !== undefined) return known;
  const hash = merkleRoot(headerLeaves(header));
  recent.add(encoded, hash);
  return hash;
}

export const commitHash = (commit: Commit): Hash =>
  remembered(commitHashes, commit, (one) => merkleRoot(one.signatures.map(encodeCommitSig)));

/** Identifies a tx in consensus. Its Ethereum hash is a different one. */
export const txHash = (tx: Bytes): Hash => sha256(tx);

export const dataHash = (txs: readonly Bytes[]): Hash => merkleRoot(txs.map(txHash));

export const evidenceListHash = (evidence: readonly Evidence[]): Hash =>
  merkleRoot(evidence.map(encodeInnerEvidence));

export const validatorsHash = (set: ValidatorSet): Hash =>
  remembered(validatorHashes, set, ({ validators }) =>
    merkleRoot(validators.map((validator) => encode(SIMPLE_VALIDATOR, validator))),
  );

export const consensusParamsHash = (params: ConsensusParams): Hash =>
  sha256(encode(HASHED_PARAMS, { blockMaxBytes: params.block.maxBytes, blockMaxGas: params.block.maxGas }));

export const resultsHash = (results: readonly TxResult[]): Hash =>
  merkleRoot(results.map((result) => encode(REDUCED_TX_RESULT, result)));

/** As CometBFT does: 31 bytes of the header hash in a 32-byte buffer, then the height as a zig-zag varint. */
export function lightClientAttackHash(conflictingHeaderHash: Hash, commonHeight: Height): Hash {
  const height = written((writer: Writer, value: bigint) => writer.big(value), BigInt(commonHeight) * 2n);
  const input = new Uint8Array(32 + height.length);
  input.set(conflictingHeaderHash.subarray(0, 31));
  input.set(height, 32);
  return sha256(input);
}

/** Identifies a piece of evidence in the pool. */
export const evidenceHash = (evidence: Evidence): Hash =>
  evidence.kind === 'duplicate-vote'
    ? sha256(encodeInnerEvidence(evidence))
    : lightClientAttackHash(headerHash(evidence.conflictingBlock.header), evidence.commonHeight);
