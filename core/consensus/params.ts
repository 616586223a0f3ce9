import { BLOCK_BYTES_MAX, PART_BYTES } from '../codec/limits.ts';
import { validateParamsBasic } from '../codec/validateParams.ts';
import { err, ok, type Result } from '../lib/result.ts';
import type { Height } from '../types/ids.ts';
import type { ConsensusParams } from '../types/params.ts';
import type { ChainState } from '../types/state.ts';

const BLOCK_OVERHEAD_BYTES = 11;
const HEADER_BYTES_MAX = 626;
const COMMIT_OVERHEAD_BYTES = 94;
const COMMIT_SIG_BYTES_MAX = 111;

export interface ParamsError {
  readonly code: 'params';
  readonly message: string;
}

const bad = (message: string): Result<void, ParamsError> => err({ code: 'params', message });

export const blockBytesMax = (params: ConsensusParams): number =>
  params.block.maxBytes === -1 ? BLOCK_BYTES_MAX : params.block.maxBytes;

/** Most parts a block can have under these params. A proposal that claims more is refused before allocation. */
export const blockPartsMax = (params: ConsensusParams): number =>
  Math.floor((blockBytesMax(params) - 1) / PART_BYTES) + 1;

/** Bytes left for transactions, each with its protobuf overhead (CometBFT MaxDataBytes); negative if nothing fits. */
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

/**
 * Room for transactions without evidence and with all present validators signing: the largest possible transaction
 * (CometBFT's pre-check).
 */
export const txRoomBytes = ({ params, validators }: Pick<ChainState, 'params' | 'validators'>): number =>
  dataBytesMax(params, validators.validators.length, 0);

/** CometBFT ConsensusParams.ValidateBasic, for params set by the application. */
export function checkParams(params: ConsensusParams): Result<void, ParamsError> {
  const basic = validateParamsBasic(params);
  return basic.ok ? basic : bad(basic.error.message);
}

/** Refuses params under which header and commit do not fit into a block (CometBFT panics in MaxDataBytes). */
export function checkRoom(params: ConsensusParams, validatorCount: number): Result<void, ParamsError> {
  const missing = -dataBytesMax(params, validatorCount, 0);
  if (missing <= 0) return ok(undefined);
  const least = blockBytesMax(params) + missing;
  return bad(
    `consensus_params.block.max_bytes: header and commit of ${validatorCount} validators take up to ${least} bytes`,
  );
}

/** Rules for changing params after block `height`. Vote extensions can be enabled only once, and only in the future. */
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
