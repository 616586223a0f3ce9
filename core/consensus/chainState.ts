/** The consensus state at genesis and after each block (CometBFT's state/execution.go). */
import { consensusParamsHash, EMPTY_HASH, resultsHash } from '../codec/hashes.ts';
import { validatorAddress } from '../crypto/addresses.ts';
import type { Bytes } from '../lib/bytes.ts';
import { err, ok, type Result } from '../lib/result.ts';
import type { FinalizeReply } from '../types/app.ts';
import { type Block, type BlockId, ZERO_BLOCK_ID } from '../types/block.ts';
import type { Genesis } from '../types/genesis.ts';
import type { Hash, Height } from '../types/ids.ts';
import type { ConsensusParams } from '../types/params.ts';
import type { ChainState } from '../types/state.ts';
import type { ValidatorSet, ValidatorUpdate } from '../types/validator.ts';
import { checkParams, checkParamUpdate, checkRoom, type ParamsError } from './params.ts';
import {
  applyUpdates,
  incrementPriority,
  makeValidatorSet,
  type ValidatorChange,
  type ValidatorSetError,
} from './priority.ts';

/** The application's answer to genesis (ABCI InitChain). */
export interface GenesisReply {
  /** If empty, the genesis file's app hash applies. */
  readonly appHash: Bytes;
  /** If empty, the genesis file's validators apply. */
  readonly validators: readonly ValidatorUpdate[];
  readonly params: ConsensusParams | undefined;
}

export type StateError =
  | ValidatorSetError
  | ParamsError
  | { readonly code: 'result-count'; readonly txs: number; readonly results: number }
  | { readonly code: 'key-type'; readonly type: string };

/** Describes the error for the author of the genesis file. */
export function stateProblem(error: StateError): string {
  switch (error.code) {
    case 'params':
      return error.message;
    case 'empty-set':
      return 'validators: there is none';
    case 'key-type':
      return `validators: consensus_params.validator.pub_key_types does not allow ${error.type}`;
    default:
      return `validators: ${error.code}`;
  }
}

export const nextHeight = (state: ChainState): Height =>
  state.lastBlockHeight === 0 ? state.initialHeight : state.lastBlockHeight + 1;

/** The state before the first block. */
export function genesisState(genesis: Genesis, reply: GenesisReply): Result<ChainState, StateError> {
  const params = reply.params ?? genesis.params;
  const checked = checkParams(params);
  if (!checked.ok) return checked;
  const list = reply.validators.length > 0 ? reply.validators : genesis.validators;
  const changes = changesOf(list, params);
  if (!changes.ok) return changes;
  const set = makeValidatorSet(changes.value);
  if (!set.ok) return set;
  const room = checkRoom(params, changes.value.length);
  if (!room.ok) return room;
  return ok({
    chainId: genesis.chainId,
    initialHeight: genesis.initialHeight,
    lastBlockHeight: 0,
    lastBlockId: ZERO_BLOCK_ID,
    lastBlockTime: genesis.genesisTime,
    nextValidators: incrementPriority(set.value, 1),
    validators: set.value,
    lastValidators: undefined,
    lastHeightValidatorsChanged: genesis.initialHeight,
    params,
    lastHeightParamsChanged: genesis.initialHeight,
    lastResultsHash: EMPTY_HASH,
    appHash: reply.appHash.length > 0 ? reply.appHash : genesis.appHash,
  });
}

function changesOf(
  updates: readonly ValidatorUpdate[],
  params: ConsensusParams,
): Result<readonly ValidatorChange[], StateError> {
  const changes: ValidatorChange[] = [];
  for (const { pubKey, power } of updates) {
    // A validator whose key is no longer allowed may still be removed (CometBFT validateValidatorUpdates).
    if (power > 0n && !params.validator.pubKeyTypes.includes(pubKey.type))
      return err({ code: 'key-type', type: pubKey.type });
    changes.push({ address: validatorAddress(pubKey), pubKey, power });
  }
  return ok(changes);
}

/** The state after `block`. Validator updates take effect two heights later, param updates at the next height. */
export function nextState(
  state: ChainState,
  blockId: BlockId,
  block: Block,
  reply: FinalizeReply,
): Result<ChainState, StateError> {
  const { height, time } = block.header;
  if (reply.txResults.length !== block.txs.length) {
    return err({ code: 'result-count', txs: block.txs.length, results: reply.txResults.length });
  }
  const next = nextSet(state, reply);
  if (!next.ok) return next;
  const params = reply.paramUpdates ?? state.params;
  if (reply.paramUpdates !== undefined) {
    const checked = checkParamUpdate(state.params, params, height);
    if (!checked.ok) return checked;
  }
  return ok({
    chainId: state.chainId,
    initialHeight: state.initialHeight,
    lastBlockHeight: height,
    lastBlockId: blockId,
    lastBlockTime: time,
    nextValidators: next.value,
    validators: state.nextValidators,
    lastValidators: state.validators,
    lastHeightValidatorsChanged:
      reply.validatorUpdates.length > 0 ? height + 2 : state.lastHeightValidatorsChanged,
    params,
    lastHeightParamsChanged: reply.paramUpdates ? height + 1 : state.lastHeightParamsChanged,
    lastResultsHash: reply.txResults.length === 0 ? EMPTY_HASH : resultsHash(reply.txResults),
    appHash: reply.appHash,
  });
}

function nextSet(state: ChainState, reply: FinalizeReply): Result<ValidatorSet, StateError> {
  const changes = changesOf(reply.validatorUpdates, state.params);
  if (!changes.ok) return changes;
  const updated = applyUpdates(state.nextValidators, changes.value);
  return updated.ok ? ok(incrementPriority(updated.value, 1)) : updated;
}

// Params seldom change, so the states of many heights share one params object.
const paramsHashes = new WeakMap<ConsensusParams, Hash>();

/** ConsensusHash of a header made under `params`. */
export function hashOfParams(params: ConsensusParams): Hash {
  const known = paramsHashes.get(params);
  if (known !== undefined) return known;
  const hash = consensusParamsHash(params);
  paramsHashes.set(params, hash);
  return hash;
}
