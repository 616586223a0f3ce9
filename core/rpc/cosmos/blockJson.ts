/** Blocks in protobuf JSON. */
import { formatProtoTime } from '../../codec/timeText.ts';
import { toBase64 } from '../../lib/base64.ts';
import type { Bytes } from '../../lib/bytes.ts';
import type { Block, BlockId, Commit, Header } from '../../types/block.ts';
import type {
  DuplicateVoteEvidence,
  Evidence,
  LightBlock,
  LightClientAttackEvidence,
} from '../../types/evidence.ts';
import type { Validator } from '../../types/validator.ts';
import type { Vote } from '../../types/vote.ts';

const FLAG = {
  absent: 'BLOCK_ID_FLAG_ABSENT',
  commit: 'BLOCK_ID_FLAG_COMMIT',
  nil: 'BLOCK_ID_FLAG_NIL',
} as const;
const VOTE_TYPE = { prevote: 'SIGNED_MSG_TYPE_PREVOTE', precommit: 'SIGNED_MSG_TYPE_PRECOMMIT' } as const;

/** Empty bytes are not encoded, so Go decodes nil and prints null. */
const bytesJson = (bytes: Bytes): string | null => (bytes.length === 0 ? null : toBase64(bytes));

export const blockIdJson = ({ hash, parts }: BlockId) => ({
  hash: bytesJson(hash),
  part_set_header: { total: parts.total, hash: bytesJson(parts.hash) },
});

const headerJson = (header: Header, proposer: string | null) => ({
  version: { block: String(header.version.block), app: String(header.version.app) },
  chain_id: header.chainId,
  height: String(header.height),
  time: formatProtoTime(header.time),
  last_block_id: blockIdJson(header.lastBlockId),
  last_commit_hash: bytesJson(header.lastCommitHash),
  data_hash: bytesJson(header.dataHash),
  validators_hash: bytesJson(header.validatorsHash),
  next_validators_hash: bytesJson(header.nextValidatorsHash),
  consensus_hash: bytesJson(header.consensusHash),
  app_hash: bytesJson(header.appHash),
  last_results_hash: bytesJson(header.lastResultsHash),
  evidence_hash: bytesJson(header.evidenceHash),
  proposer_address: proposer,
});

const commitJson = (commit: Commit) => ({
  height: String(commit.height),
  round: commit.round,
  block_id: blockIdJson(commit.blockId),
  signatures: commit.signatures.map((sig) => ({
    block_id_flag: FLAG[sig.flag],
    validator_address: bytesJson(sig.validatorAddress),
    timestamp: formatProtoTime(sig.timestamp),
    signature: bytesJson(sig.signature),
  })),
});

const voteJson = (vote: Vote) => ({
  type: VOTE_TYPE[vote.type],
  height: String(vote.height),
  round: vote.round,
  block_id: blockIdJson(vote.blockId),
  timestamp: formatProtoTime(vote.timestamp),
  validator_address: bytesJson(vote.validatorAddress),
  validator_index: vote.validatorIndex,
  signature: bytesJson(vote.signature),
  extension: bytesJson(vote.extension),
  extension_signature: bytesJson(vote.extensionSignature),
});

const validatorJson = ({ address, pubKey, power, priority }: Validator) => ({
  address: bytesJson(address),
  pub_key: { [pubKey.type]: bytesJson(pubKey.bytes) },
  voting_power: String(power),
  proposer_priority: String(priority),
});

const lightBlockJson = ({ header, commit, validators }: LightBlock) => ({
  signed_header: {
    header: headerJson(header, bytesJson(header.proposerAddress)),
    commit: commitJson(commit),
  },
  validator_set: {
    validators: validators.validators.map(validatorJson),
    proposer: validatorJson(validators.proposer),
    // CometBFT leaves this field zero, because the encoded set may be hashed.
    total_voting_power: '0',
  },
});

const doubleVoteJson = (evidence: DuplicateVoteEvidence) => ({
  vote_a: voteJson(evidence.voteA),
  vote_b: voteJson(evidence.voteB),
  total_voting_power: String(evidence.totalVotingPower),
  validator_power: String(evidence.validatorPower),
  timestamp: formatProtoTime(evidence.timestamp),
});

const attackJson = (evidence: LightClientAttackEvidence) => ({
  conflicting_block: lightBlockJson(evidence.conflictingBlock),
  common_height: String(evidence.commonHeight),
  byzantine_validators: evidence.byzantineValidators.map(validatorJson),
  total_voting_power: String(evidence.totalVotingPower),
  timestamp: formatProtoTime(evidence.timestamp),
});

const evidenceJson = (evidence: Evidence) =>
  evidence.kind === 'duplicate-vote'
    ? { duplicate_vote_evidence: doubleVoteJson(evidence) }
    : { light_client_attack_evidence: attackJson(evidence) };

/** `proposer`: the address in base64 or Bech32. */
export const blockBody = (block: Block, proposer: string) => ({
  header: headerJson(block.header, proposer),
  data: { txs: block.txs.map(toBase64) },
  evidence: { evidence: block.evidence.map(evidenceJson) },
  last_commit: commitJson(block.lastCommit),
});
