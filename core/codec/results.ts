import type { Bytes } from '../lib/bytes.ts';
import type { Result } from '../lib/result.ts';
import type { FinalizeReply } from '../types/app.ts';
import type { AbciEvent, EventAttribute, TxResult } from '../types/result.ts';
import type { ValidatorUpdate } from '../types/validator.ts';
import { bool, bytes, embed, int64Big, optional, repeated, string, uint32 } from './fields.ts';
import { APP_HASH_BYTES_MAX, EVENTS_MAX, RESULT_BYTES_MAX, TXS_MAX, VALIDATORS_MAX } from './limits.ts';
import { CONSENSUS_PARAMS } from './params.ts';
import { decode, table } from './proto.ts';
import { PUBLIC_KEY } from './validator.ts';
import type { CodecError } from './wire.ts';

const EVENT_ATTRIBUTE = table<EventAttribute>('EventAttribute', [
  string(1, 'key', RESULT_BYTES_MAX),
  string(2, 'value', RESULT_BYTES_MAX),
  bool(3, 'index'),
]);

export const EVENT = table<AbciEvent>('Event', [
  string(1, 'type', RESULT_BYTES_MAX),
  repeated(2, 'attributes', EVENT_ATTRIBUTE, EVENTS_MAX),
]);

/** tendermint.abci.ExecTxResult. */
export const TX_RESULT = table<TxResult>('ExecTxResult', [
  uint32(1, 'code'),
  bytes(2, 'data', RESULT_BYTES_MAX),
  string(3, 'log', RESULT_BYTES_MAX),
  string(4, 'info', RESULT_BYTES_MAX),
  int64Big(5, 'gasWanted'),
  int64Big(6, 'gasUsed'),
  repeated(7, 'events', EVENT, EVENTS_MAX),
  string(8, 'codespace', RESULT_BYTES_MAX),
]);

const VALIDATOR_UPDATE = table<ValidatorUpdate>('ValidatorUpdate', [
  embed(1, 'pubKey', PUBLIC_KEY),
  int64Big(2, 'power'),
]);

/** tendermint.abci.ResponseFinalizeBlock. */
export const FINALIZE_REPLY = table<FinalizeReply>('ResponseFinalizeBlock', [
  repeated(1, 'events', EVENT, EVENTS_MAX),
  repeated(2, 'txResults', TX_RESULT, TXS_MAX),
  repeated(3, 'validatorUpdates', VALIDATOR_UPDATE, VALIDATORS_MAX),
  optional(4, 'paramUpdates', CONSENSUS_PARAMS, { name: 'consensus_param_updates' }),
  bytes(5, 'appHash', APP_HASH_BYTES_MAX),
]);

export const decodeFinalizeReply = (from: Bytes): Result<FinalizeReply, CodecError> =>
  decode(FINALIZE_REPLY, from);
