import type { Bytes } from '../lib/bytes.ts';
import type { Result } from '../lib/result.ts';
import type { ConsensusParams } from '../types/params.ts';
import { embed, int64, repeatedString, uint64 } from './fields.ts';
import { PUB_KEY_TYPES_MAX, SHORT_TEXT_BYTES_MAX } from './limits.ts';
import { decode, encode, table } from './proto.ts';
import { DURATION } from './time.ts';
import type { CodecError } from './wire.ts';

const BLOCK_PARAMS = table<ConsensusParams['block']>('BlockParams', [
  int64(1, 'maxBytes'),
  int64(2, 'maxGas'),
]);

const EVIDENCE_PARAMS = table<ConsensusParams['evidence']>('EvidenceParams', [
  int64(1, 'maxAgeNumBlocks'),
  embed(2, 'maxAgeDurationNs', DURATION, { name: 'max_age_duration' }),
  int64(3, 'maxBytes'),
]);

const VALIDATOR_PARAMS = table<ConsensusParams['validator']>('ValidatorParams', [
  repeatedString(1, 'pubKeyTypes', SHORT_TEXT_BYTES_MAX, PUB_KEY_TYPES_MAX),
]);

const VERSION_PARAMS = table<ConsensusParams['version']>('VersionParams', [uint64(1, 'app')]);

const ABCI_PARAMS = table<ConsensusParams['abci']>('ABCIParams', [int64(1, 'voteExtensionsEnableHeight')]);

export const CONSENSUS_PARAMS = table<ConsensusParams>('ConsensusParams', [
  embed(1, 'block', BLOCK_PARAMS),
  embed(2, 'evidence', EVIDENCE_PARAMS),
  embed(3, 'validator', VALIDATOR_PARAMS),
  embed(4, 'version', VERSION_PARAMS),
  embed(5, 'abci', ABCI_PARAMS),
]);

/** The params that ConsensusHash covers. The others are not in the header. */
export const HASHED_PARAMS = table<{ readonly blockMaxBytes: number; readonly blockMaxGas: number }>(
  'HashedParams',
  [int64(1, 'blockMaxBytes'), int64(2, 'blockMaxGas')],
);

export const encodeConsensusParams = (params: ConsensusParams): Bytes => encode(CONSENSUS_PARAMS, params);
export const decodeConsensusParams = (from: Bytes): Result<ConsensusParams, CodecError> =>
  decode(CONSENSUS_PARAMS, from);
