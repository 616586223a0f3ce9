/** Blocks in protobuf's JSON. */
import { evidenceJson } from '../../codec/json.ts';
import { formatTime } from '../../codec/timeText.ts';
import { toBase64 } from '../../lib/base64.ts';
import type { Block, BlockId, Commit, Header } from '../../types/block.ts';

const FLAG = {
  absent: 'BLOCK_ID_FLAG_ABSENT',
  commit: 'BLOCK_ID_FLAG_COMMIT',
  nil: 'BLOCK_ID_FLAG_NIL',
} as const;

export const blockIdJson = ({ hash, parts }: BlockId) => ({
  hash: toBase64(hash),
  part_set_header: { total: parts.total, hash: toBase64(parts.hash) },
});

const headerJson = (header: Header, proposer: string) => ({
  version: { block: String(header.version.block), app: String(header.version.app) },
  chain_id: header.chainId,
  height: String(header.height),
  time: formatTime(header.time),
  last_block_id: blockIdJson(header.lastBlockId),
  last_commit_hash: toBase64(header.lastCommitHash),
  data_hash: toBase64(header.dataHash),
  validators_hash: toBase64(header.validatorsHash),
  next_validators_hash: toBase64(header.nextValidatorsHash),
  consensus_hash: toBase64(header.consensusHash),
  app_hash: toBase64(header.appHash),
  last_results_hash: toBase64(header.lastResultsHash),
  evidence_hash: toBase64(header.evidenceHash),
  proposer_address: proposer,
});

const commitJson = (commit: Commit) => ({
  height: String(commit.height),
  round: commit.round,
  block_id: blockIdJson(commit.blockId),
  signatures: commit.signatures.map((sig) => ({
    block_id_flag: FLAG[sig.flag],
    validator_address: toBase64(sig.validatorAddress),
    timestamp: formatTime(sig.timestamp),
    signature: toBase64(sig.signature),
  })),
});

/** `proposer` as text: base64 or Bech32. */
export const blockBody = (block: Block, proposer: string) => ({
  header: headerJson(block.header, proposer),
  data: { txs: block.txs.map(toBase64) },
  evidence: { evidence: block.evidence.map(evidenceJson) },
  last_commit: commitJson(block.lastCommit),
});
