import { BLOCK_BYTES_MAX, PART_BYTES } from '../codec/limits.ts';
import { err, ok, type Result } from '../lib/result.ts';
import type { Height } from '../types/ids.ts';
import type { ConsensusParams } from '../types/params.ts';

const BLOCK_OVERHEAD_BYTES = 11;
const HEADER_BYTES_MAX = 626;
const COMMIT_OVERHEAD_BYTES = 94;
const COMMIT_SIG_BYTES_MAX = 111;
const KEY_TYPES: readonly string[] = ['ed25519', 'secp256k1'];

export interface ParamsError {
  readonly code: 'params';
  readonly message: string;
}

const bad = (message: string): Result<void, ParamsError> => err({ code: 'params', message });

export const blockBytesMax = (params: ConsensusParams): number =>
  params.block.maxBytes === -1 ? BLOCK_BYTES_MAX : params.block.maxBytes;

/** Most parts a block of these params can have; a proposal claiming more is refused before allocation. */
export const blockPartsMax = (params: ConsensusParams): number =>
  Math.floor((blockBytesMax(params) - 1) / PART_BYTES) + 1;

/** Bytes left for txs, each with its protobuf overhead (CometBFT MaxDataBytes); negative when nothing fits. */
export const dataBytesMax = (
  params: ConsensusParams,
  validatorCount: number,
  evidenceBytes: number,
): number =>
  blockBytesMax(params) -
  BLOCK_OVERHEAD_BYTES -
  HEADER_BYTES_MAX -
  (COMMIT_OVERHEAD_BYTES + COMMIT_SIG_BYTES_MAX * validatorCount) -
  evidenceBytes;

/** CometBFT ConsensusParams.ValidateBasic. */
export function checkParams(params: ConsensusParams): Result<void, ParamsError> {
  const { block, evidence, validator, abci } = params;
  if (block.maxBytes !== -1 && (block.maxBytes < 1 || block.maxBytes > BLOCK_BYTES_MAX)) {
    return bad(`block.max_bytes ${block.maxBytes}`);
  }
  if (block.maxGas < -1) return bad(`block.max_gas ${block.maxGas}`);
  if (evidence.maxAgeNumBlocks <= 0) return bad(`evidence.max_age_num_blocks ${evidence.maxAgeNumBlocks}`);
  if (evidence.maxAgeDurationNs <= 0n) return bad('evidence.max_age_duration');
  if (evidence.maxBytes < 0 || evidence.maxBytes > blockBytesMax(params)) {
    return bad(`evidence.max_bytes ${evidence.maxBytes}`);
  }
  if (abci.voteExtensionsEnableHeight < 0) return bad('abci.vote_extensions_enable_height');
  if (validator.pubKeyTypes.length === 0) return bad('validator.pub_key_types is empty');
  const unknown = validator.pubKeyTypes.find((type) => !KEY_TYPES.includes(type));
  return unknown === undefined ? ok(undefined) : bad(`unknown key type ${unknown}`);
}

/** Rules for changing params after block `height`: vote extensions are switched on once, in the future. */
export function checkParamUpdate(
  before: ConsensusParams,
  after: ConsensusParams,
  height: Height,
): Result<void, ParamsError> {
  const basic = checkParams(after);
  if (!basic.ok) return basic;
  const [old, next] = [before.abci.voteExtensionsEnableHeight, after.abci.voteExtensionsEnableHeight];
  if (old === next) return ok(undefined);
  if (next === 0) return bad('vote extensions cannot be disabled once enabled');
  if (next <= height) return bad(`vote extensions enable height ${next} is not in the future`);
  if (old !== 0 && old <= height) return bad('vote extensions are enabled already');
  return ok(undefined);
}
