import type { Bytes } from '../lib/bytes.ts';
import type { BlockId, Header, PartSetHeader } from '../types/block.ts';
import { bytes, embed, int64, string, uint32, uint64 } from './fields.ts';
import { ADDRESS_BYTES, APP_HASH_BYTES_MAX, CHAIN_ID_BYTES_MAX, HASH_BYTES } from './limits.ts';
import { encode, table } from './proto.ts';
import { TIMESTAMP } from './time.ts';

export const PART_SET_HEADER = table<PartSetHeader>('PartSetHeader', [
  uint32(1, 'total'),
  bytes(2, 'hash', HASH_BYTES),
]);

export const BLOCK_ID = table<BlockId>('BlockID', [
  bytes(1, 'hash', HASH_BYTES),
  embed(2, 'parts', PART_SET_HEADER, { name: 'part_set_header' }),
]);

/** tendermint.version.Consensus. */
export const CONSENSUS_VERSION = table<Header['version']>('Consensus', [
  uint64(1, 'block'),
  uint64(2, 'app'),
]);

export const HEADER = table<Header>('Header', [
  embed(1, 'version', CONSENSUS_VERSION),
  string(2, 'chainId', CHAIN_ID_BYTES_MAX),
  int64(3, 'height'),
  embed(4, 'time', TIMESTAMP),
  embed(5, 'lastBlockId', BLOCK_ID),
  bytes(6, 'lastCommitHash', HASH_BYTES),
  bytes(7, 'dataHash', HASH_BYTES),
  bytes(8, 'validatorsHash', HASH_BYTES),
  bytes(9, 'nextValidatorsHash', HASH_BYTES),
  bytes(10, 'consensusHash', HASH_BYTES),
  bytes(11, 'appHash', APP_HASH_BYTES_MAX),
  bytes(12, 'lastResultsHash', HASH_BYTES),
  bytes(13, 'evidenceHash', HASH_BYTES),
  bytes(14, 'proposerAddress', ADDRESS_BYTES),
]);

export const encodeHeader = (header: Header): Bytes => encode(HEADER, header);
export const encodePartSetHeader = (header: PartSetHeader): Bytes => encode(PART_SET_HEADER, header);
