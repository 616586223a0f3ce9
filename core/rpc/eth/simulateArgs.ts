import type { AccountOverride, BlockOverrides } from '../../app/chain.ts';
import { err, ok } from '../../lib/result.ts';
import { isObject, type Json } from '../jsonText.ts';
import {
  Fields,
  readBlockOverrides,
  readStateOverrides,
  readTransactionArgs,
  type TransactionArgs,
} from './callArgs.ts';
import { type Decoded, goKind, goTypeError, readBool } from './goHex.ts';
import { arrayOf } from './method.ts';

/** One block of the request. */
export interface SimulatedInput {
  readonly header: BlockOverrides | undefined;
  readonly state: ReadonlyMap<string, AccountOverride> | undefined;
  readonly calls: readonly TransactionArgs[];
}

export interface SimulateOptions {
  /** Adds a log for each transfer of the native coin. */
  readonly traceTransfers: boolean;
  readonly validation: boolean;
  readonly returnFullTransactions: boolean;
}

export interface SimulatePayload extends SimulateOptions {
  readonly blocks: readonly SimulatedInput[];
}

/**
 * Maximum blocks to read; the method refuses more than its own limit with geth's text. The body size bounds the calls
 * anyway.
 */
const BLOCKS_READ_MAX = 10_000;
const CALLS_MAX = 10_000;

function readBlock(value: Json): Decoded<SimulatedInput> {
  if (!isObject(value)) return err(goTypeError(goKind(value), 'ethapi.simBlock', undefined));
  const fields = new Fields(value, 'simBlock');
  const block = {
    header: fields.optional('blockOverrides', readBlockOverrides),
    state: fields.optional('stateOverrides', readStateOverrides),
    calls: fields.required('calls', arrayOf(readTransactionArgs, CALLS_MAX, '[]ethapi.TransactionArgs'), []),
  };
  return fields.fault === undefined ? ok(block) : err(fields.fault);
}

/** geth's simOpts. */
export function readSimulatePayload(given: Json): Decoded<SimulatePayload> {
  const value = given ?? new Map();
  if (!isObject(value)) return err(goTypeError(goKind(value), 'ethapi.simOpts', undefined));
  const fields = new Fields(value, 'simOpts');
  const payload = {
    blocks: fields.required('blockStateCalls', arrayOf(readBlock, BLOCKS_READ_MAX, '[]ethapi.simBlock'), []),
    traceTransfers: fields.required('traceTransfers', readBool, false),
    validation: fields.required('validation', readBool, false),
    returnFullTransactions: fields.required('returnFullTransactions', readBool, false),
  };
  return fields.fault === undefined ? ok(payload) : err(fields.fault);
}
