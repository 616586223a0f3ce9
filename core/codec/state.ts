import type { Bytes } from '../lib/bytes.ts';
import { err, ok, type Result } from '../lib/result.ts';
import type { ChainState } from '../types/state.ts';
import { bytes, embed, int64, optional, string } from './fields.ts';
import { BLOCK_ID, CONSENSUS_VERSION } from './header.ts';
import {
  APP_HASH_BYTES_MAX,
  BLOCK_PROTOCOL,
  CHAIN_ID_BYTES_MAX,
  HASH_BYTES,
  SHORT_TEXT_BYTES_MAX,
} from './limits.ts';
import { CONSENSUS_PARAMS } from './params.ts';
import { decode, encode, mapped, table } from './proto.ts';
import { TIMESTAMP } from './time.ts';
import { VALIDATOR_SET } from './validator.ts';
import type { CodecError } from './wire.ts';

interface StateVersion {
  readonly consensus: { readonly block: number; readonly app: number };
  readonly software: string;
}

type StateWire = ChainState & { readonly version: StateVersion };

export const STATE_VERSION = table<StateVersion>('Version', [
  embed(1, 'consensus', CONSENSUS_VERSION),
  string(2, 'software', SHORT_TEXT_BYTES_MAX),
]);

/** tendermint.state.State. */
export const STATE_WIRE = table<StateWire>('State', [
  embed(1, 'version', STATE_VERSION),
  string(2, 'chainId', CHAIN_ID_BYTES_MAX),
  int64(3, 'lastBlockHeight'),
  embed(4, 'lastBlockId', BLOCK_ID),
  embed(5, 'lastBlockTime', TIMESTAMP),
  embed(6, 'nextValidators', VALIDATOR_SET),
  embed(7, 'validators', VALIDATOR_SET),
  optional(8, 'lastValidators', VALIDATOR_SET),
  int64(9, 'lastHeightValidatorsChanged'),
  embed(10, 'params', CONSENSUS_PARAMS, { name: 'consensus_params' }),
  int64(11, 'lastHeightParamsChanged', { name: 'last_height_consensus_params_changed' }),
  bytes(12, 'lastResultsHash', HASH_BYTES),
  bytes(13, 'appHash', APP_HASH_BYTES_MAX),
  int64(14, 'initialHeight'),
]);

export const CHAIN_STATE = mapped(
  STATE_WIRE,
  (state: ChainState): StateWire => ({
    ...state,
    version: { consensus: { block: BLOCK_PROTOCOL, app: state.params.version.app }, software: '' },
  }),
  ({ version, ...state }): Result<ChainState, string> => {
    if (version.consensus.block !== BLOCK_PROTOCOL) return err(`block protocol ${version.consensus.block}`);
    if (version.consensus.app !== state.params.version.app) return err('app version differs from the params');
    return version.software === '' ? ok(state) : err('software version is given');
  },
);

export const encodeChainState = (state: ChainState): Bytes => encode(CHAIN_STATE, state);
export const decodeChainState = (from: Bytes): Result<ChainState, CodecError> => decode(CHAIN_STATE, from);
