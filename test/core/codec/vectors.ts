import { readFileSync } from 'node:fs';
import { parseTime } from '../../../core/codec/timeText.ts';
import { fromBase64 } from '../../../core/lib/base64.ts';
import { type Bytes, EMPTY, hex } from '../../../core/lib/bytes.ts';
import type { Block, BlockId, Commit, CommitSig, Header } from '../../../core/types/block.ts';
import type { Evidence } from '../../../core/types/evidence.ts';
import type { Timestamp } from '../../../core/types/ids.ts';
import type { Vote } from '../../../core/types/vote.ts';

// biome-ignore lint/suspicious/noExplicitAny: vector files are what they are; a wrong path fails the test.
export type Any = any;

export const vectors = (path: string): Any =>
  JSON.parse(readFileSync(new URL(`../../vectors/${path}`, import.meta.url), 'utf8'));

/** Rows for `test.each`: a title and the vector. */
export const cases = (list: Any, title: (one: Any) => string): [string, Any][] =>
  list.map((one: Any) => [String(title(one)), one]);

export const rpcFixture = (name: string): Any =>
  vectors(`cometbft/rpc-fixtures-v0_38/incoming/${name}.json`).result;

export const base64 = (text: string | null | undefined): Bytes => {
  if (text === null || text === undefined) return EMPTY;
  const parsed = fromBase64(text);
  if (!parsed.ok) throw new Error(parsed.error.message);
  return parsed.value;
};

export const time = (text: string): Timestamp => {
  const parsed = parseTime(text);
  if (!parsed.ok) throw new Error(parsed.error.message);
  return parsed.value;
};

export const blockIdOf = (json: Any): BlockId => ({
  hash: hex(json.hash),
  parts: { total: json.parts.total, hash: hex(json.parts.hash) },
});

export const headerOf = (json: Any): Header => ({
  version: { block: Number(json.version.block), app: Number(json.version.app ?? 0) },
  chainId: json.chain_id,
  height: Number(json.height),
  time: time(json.time),
  lastBlockId: blockIdOf(json.last_block_id),
  lastCommitHash: hex(json.last_commit_hash),
  dataHash: hex(json.data_hash),
  validatorsHash: hex(json.validators_hash),
  nextValidatorsHash: hex(json.next_validators_hash),
  consensusHash: hex(json.consensus_hash),
  appHash: hex(json.app_hash),
  lastResultsHash: hex(json.last_results_hash),
  evidenceHash: hex(json.evidence_hash),
  proposerAddress: hex(json.proposer_address),
});

const FLAGS = { 1: 'absent', 2: 'commit', 3: 'nil' } as const;

const commitSigOf = (json: Any): CommitSig => ({
  flag: FLAGS[json.block_id_flag as 1 | 2 | 3],
  validatorAddress: hex(json.validator_address),
  timestamp: time(json.timestamp),
  signature: base64(json.signature),
});

export const commitOf = (json: Any): Commit => ({
  height: Number(json.height),
  round: json.round,
  blockId: blockIdOf(json.block_id),
  signatures: json.signatures.map(commitSigOf),
});

export const voteOf = (json: Any): Vote => ({
  type: json.type === 1 ? 'prevote' : 'precommit',
  height: Number(json.height),
  round: json.round,
  blockId: blockIdOf(json.block_id),
  timestamp: time(json.timestamp),
  validatorAddress: hex(json.validator_address),
  validatorIndex: json.validator_index,
  signature: base64(json.signature),
  extension: base64(json.extension),
  extensionSignature: base64(json.extension_signature),
});

export const evidenceOf = (value: Any): Evidence => ({
  kind: 'duplicate-vote',
  voteA: voteOf(value.vote_a),
  voteB: voteOf(value.vote_b),
  totalVotingPower: BigInt(value.total_voting_power),
  validatorPower: BigInt(value.validator_power),
  timestamp: time(value.timestamp),
});

export const blockOf = (json: Any): Block => ({
  header: headerOf(json.header),
  txs: json.data.txs.map(base64),
  evidence: json.evidence.evidence.map((one: Any) => evidenceOf(one.value)),
  lastCommit: commitOf(json.last_commit),
});
