import { toUpperHex } from '../../core/lib/bytes.ts';
import type { BlockId, Header } from '../../core/types/block.ts';
import type { AbciEvent } from '../../core/types/result.ts';

/** A block id as CometBFT's JSON shows it. */
export const shownId = ({ hash, parts }: BlockId): Readonly<Record<string, unknown>> => ({
  hash: toUpperHex(hash),
  parts: { total: parts.total, hash: toUpperHex(parts.hash) },
});

/** A header as CometBFT's JSON shows it, without its time. */
export const shownHeader = (header: Header): Readonly<Record<string, unknown>> => ({
  chain_id: header.chainId,
  height: String(header.height),
  last_block_id: shownId(header.lastBlockId),
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

export const shownEvent = ({ type, attributes }: AbciEvent): Readonly<Record<string, unknown>> => ({
  type,
  attributes: attributes.map(({ key, value, index }) => ({ key, value, index })),
});
