/**
 * CometBFT's JSON forms (libs/json): 64-bit integers as decimal texts, hashes and addresses as upper-case
 * hex, other bytes as base64 or null, keys in the order Go writes them.
 */
import { toBase64 } from '../lib/base64.ts';
import { type Bytes, toUpperHex } from '../lib/bytes.ts';
import type {
  Block,
  BlockId,
  BlockMeta,
  Commit,
  CommitSig,
  Header,
  PartSetHeader,
  Proof,
} from '../types/block.ts';
import type { Evidence, LightBlock } from '../types/evidence.ts';
import type { ConsensusParams } from '../types/params.ts';
import type { AbciEvent, TxResult } from '../types/result.ts';
import type { PublicKey, Validator, ValidatorSet, ValidatorUpdate } from '../types/validator.ts';
import type { Proposal, Vote } from '../types/vote.ts';
import { BLOCK_ID_FLAG } from './commit.ts';
import { formatTime } from './timeText.ts';
import { PROPOSAL_TYPE, VOTE_TYPE } from './vote.ts';

export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

/** Go writes a nil slice as null. We have only one form of empty bytes. */
export const base64Json = (bytes: Bytes): string | null => (bytes.length === 0 ? null : toBase64(bytes));

export const partSetHeaderJson = ({ total, hash }: PartSetHeader): JsonObject => ({
  total,
  hash: toUpperHex(hash),
});

export const blockIdJson = (id: BlockId): JsonObject => ({
  hash: toUpperHex(id.hash),
  parts: partSetHeaderJson(id.parts),
});

export const headerJson = (header: Header): JsonObject => ({
  version: {
    block: String(header.version.block),
    ...(header.version.app === 0 ? {} : { app: String(header.version.app) }),
  },
  chain_id: header.chainId,
  height: String(header.height),
  time: formatTime(header.time),
  last_block_id: blockIdJson(header.lastBlockId),
  last_commit_hash: toUpperHex(header.lastCommitHash),
  data_hash: toUpperHex(header.dataHash),
  validators_hash: toUpperHex(header.validatorsHash),
  next_validators_hash: toUpperHex(header.nextValidatorsHash),
  consensus_hash: toUpperHex(header.consensusHash),
  app_hash: toUpperHex(header.appHash),
  last_results_hash: toUpperHex(header.lastResultsHash),
  evidence_hash: toUpperHex(header.evidenceHash),
  proposer_address: toUpperHex(header.proposerAddress),
});

const commitSigJson = (sig: CommitSig): JsonObject => ({
  block_id_flag: BLOCK_ID_FLAG[sig.flag],
  validator_address: toUpperHex(sig.validatorAddress),
  timestamp: formatTime(sig.timestamp),
  signature: base64Json(sig.signature),
});

export const commitJson = (commit: Commit): JsonObject => ({
  height: String(commit.height),
  round: commit.round,
  block_id: blockIdJson(commit.blockId),
  signatures: commit.signatures.map(commitSigJson),
});

export const blockJson = (block: Block): JsonObject => ({
  header: headerJson(block.header),
  data: { txs: block.txs.map(toBase64) },
  evidence: { evidence: block.evidence.map(evidenceJson) },
  last_commit: commitJson(block.lastCommit),
});

export const blockMetaJson = (meta: BlockMeta): JsonObject => ({
  block_id: blockIdJson(meta.blockId),
  block_size: String(meta.blockSize),
  header: headerJson(meta.header),
  num_txs: String(meta.numTxs),
});

export const proofJson = (proof: Proof): JsonObject => ({
  total: String(proof.total),
  index: String(proof.index),
  leaf_hash: base64Json(proof.leafHash),
  aunts: proof.aunts.map(toBase64),
});

export const KEY_NAME = {
  ed25519: 'tendermint/PubKeyEd25519',
  secp256k1: 'tendermint/PubKeySecp256k1',
} as const;

export const publicKeyJson = (key: PublicKey): JsonObject => ({
  type: KEY_NAME[key.type],
  value: toBase64(key.bytes),
});

export const validatorJson = (validator: Validator): JsonObject => ({
  address: toUpperHex(validator.address),
  pub_key: publicKeyJson(validator.pubKey),
  voting_power: String(validator.power),
  proposer_priority: String(validator.priority),
});

export const validatorSetJson = (set: ValidatorSet): JsonObject => ({
  validators: set.validators.map(validatorJson),
  proposer: validatorJson(set.proposer),
});

export const voteJson = (vote: Vote): JsonObject => ({
  type: VOTE_TYPE[vote.type],
  height: String(vote.height),
  round: vote.round,
  block_id: blockIdJson(vote.blockId),
  timestamp: formatTime(vote.timestamp),
  validator_address: toUpperHex(vote.validatorAddress),
  validator_index: vote.validatorIndex,
  signature: base64Json(vote.signature),
  extension: base64Json(vote.extension),
  extension_signature: base64Json(vote.extensionSignature),
});

export const proposalJson = (proposal: Proposal): JsonObject => ({
  Type: PROPOSAL_TYPE,
  height: String(proposal.height),
  round: proposal.round,
  pol_round: proposal.polRound,
  block_id: blockIdJson(proposal.blockId),
  timestamp: formatTime(proposal.timestamp),
  signature: base64Json(proposal.signature),
});

export const lightBlockJson = (block: LightBlock): JsonObject => ({
  signed_header: { header: headerJson(block.header), commit: commitJson(block.commit) },
  validator_set: validatorSetJson(block.validators),
});

/** PascalCase keys, as the tip of 0.38 writes them. */
export const evidenceJson = (evidence: Evidence): JsonObject =>
  evidence.kind === 'duplicate-vote'
    ? {
        type: 'tendermint/DuplicateVoteEvidence',
        value: {
          vote_a: voteJson(evidence.voteA),
          vote_b: voteJson(evidence.voteB),
          TotalVotingPower: String(evidence.totalVotingPower),
          ValidatorPower: String(evidence.validatorPower),
          Timestamp: formatTime(evidence.timestamp),
        },
      }
    : {
        type: 'tendermint/LightClientAttackEvidence',
        value: {
          ConflictingBlock: lightBlockJson(evidence.conflictingBlock),
          CommonHeight: String(evidence.commonHeight),
          ByzantineValidators: evidence.byzantineValidators.map(validatorJson),
          TotalVotingPower: String(evidence.totalVotingPower),
          Timestamp: formatTime(evidence.timestamp),
        },
      };

export const eventJson = (event: AbciEvent): JsonObject => ({
  type: event.type,
  attributes: event.attributes.map(({ key, value, index }) => ({ key, value, index })),
});

export const txResultJson = (result: TxResult): JsonObject => ({
  code: result.code,
  data: base64Json(result.data),
  log: result.log,
  info: result.info,
  gas_wanted: String(result.gasWanted),
  gas_used: String(result.gasUsed),
  events: result.events.map(eventJson),
  codespace: result.codespace,
});

/** As in block_results: the protobuf oneof is visible, and a power of 0 is left out. */
export const validatorUpdateJson = ({ pubKey, power }: ValidatorUpdate): JsonObject => ({
  pub_key: {
    Sum: {
      type:
        pubKey.type === 'ed25519'
          ? 'tendermint.crypto.PublicKey_Ed25519'
          : 'tendermint.crypto.PublicKey_Secp256K1',
      value: { [pubKey.type]: toBase64(pubKey.bytes) },
    },
  },
  ...(power === 0n ? {} : { power: String(power) }),
});

export const paramsJson = (params: ConsensusParams): JsonObject => ({
  block: { max_bytes: String(params.block.maxBytes), max_gas: String(params.block.maxGas) },
  evidence: {
    max_age_num_blocks: String(params.evidence.maxAgeNumBlocks),
    max_age_duration: String(params.evidence.maxAgeDurationNs),
    max_bytes: String(params.evidence.maxBytes),
  },
  validator: { pub_key_types: params.validator.pubKeyTypes },
  version: { app: String(params.version.app) },
  abci: { vote_extensions_enable_height: String(params.abci.voteExtensionsEnableHeight) },
});
