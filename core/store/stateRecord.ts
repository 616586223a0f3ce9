import { bytes, embed, int64, string } from '../codec/fields.ts';
import { BLOCK_ID } from '../codec/header.ts';
import { APP_HASH_BYTES_MAX, CHAIN_ID_BYTES_MAX, HASH_BYTES } from '../codec/limits.ts';
import { decode, encode, table } from '../codec/proto.ts';
import { TIMESTAMP } from '../codec/time.ts';
import type { Bytes } from '../lib/bytes.ts';
import type { ChainState } from '../types/state.ts';

/** The chain state without the three validator sets and the params, which are stored under their own heights. */
export type StoredState = Omit<ChainState, 'validators' | 'nextValidators' | 'lastValidators' | 'params'>;

export const STORED_STATE = table<StoredState>('StoredState', [
  string(1, 'chainId', CHAIN_ID_BYTES_MAX),
  int64(2, 'initialHeight'),
  int64(3, 'lastBlockHeight'),
  embed(4, 'lastBlockId', BLOCK_ID),
  embed(5, 'lastBlockTime', TIMESTAMP),
  int64(6, 'lastHeightValidatorsChanged'),
  int64(7, 'lastHeightParamsChanged'),
  bytes(8, 'lastResultsHash', HASH_BYTES),
  bytes(9, 'appHash', APP_HASH_BYTES_MAX),
]);

export const encodeStoredState = (state: StoredState): Bytes => encode(STORED_STATE, state);

export function decodeStoredState(from: Bytes): StoredState | undefined {
  const decoded = decode(STORED_STATE, from);
  return decoded.ok ? decoded.value : undefined;
}
