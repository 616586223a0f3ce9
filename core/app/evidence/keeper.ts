/**
 * The evidence module records proven misbehavior. Consensus delivers each piece of evidence once, in the block that
 * carries it. This module punishes nobody; it only keeps the records for those that do.
 *
 * Bounded: at most one record per validator that ever signed, each with its newest offences and the total count.
 */
import { embed, enumeration, int64, int64Big, repeated, uint64Big } from '../../codec/fields.ts';
import { decode, encode, table } from '../../codec/proto.ts';
import { TIMESTAMP } from '../../codec/time.ts';
import { assert } from '../../lib/assert.ts';
import type { Bytes } from '../../lib/bytes.ts';
import { encodeUtf8 } from '../../lib/utf8.ts';
import type { Misbehavior } from '../../types/evidence.ts';
import type { Address, Height, Timestamp } from '../../types/ids.ts';
import { bigintToFixed } from '../evm/numbers.ts';
import { type ModuleReader, type ModuleStore, moduleKey, modulePrefix } from '../moduleStore.ts';

/** Offences kept per validator; older ones are only counted. */
export const OFFENCES_KEPT_MAX = 16;

const RECORD_PREFIX = modulePrefix('evidence/record');
const NUMBER_PREFIX = modulePrefix('evidence/number');
const NEXT_NUMBER_KEY = encodeUtf8('evidence/next');

/** One proven offence. */
export interface Offence {
  readonly kind: Misbehavior['kind'];
  /** Height of the offence; for a light client attack, the last height that both chains share. */
  readonly height: Height;
  /** Block time of that height. */
  readonly time: Timestamp;
  /** The offender's voting power at that height, and the total. */
  readonly power: bigint;
  readonly totalPower: bigint;
  /** Height of the block that carried the evidence. */
  readonly recordedAt: Height;
}

/** All recorded offences of one validator. */
export interface OffenceRecord {
  /** Counts all offences, including those no longer listed. */
  readonly count: bigint;
  /** The newest offences, in the order in which blocks carried them. */
  readonly offences: readonly Offence[];
}

const OFFENCE = table<Offence>('orrery.evidence.StoredOffence', [
  enumeration(1, 'kind', { 'duplicate-vote': 1, 'light-client-attack': 2 }),
  int64(2, 'height'),
  embed(3, 'time', TIMESTAMP),
  int64Big(4, 'power'),
  int64Big(5, 'totalPower'),
  int64(6, 'recordedAt'),
]);

const RECORD = table<OffenceRecord>('orrery.evidence.StoredRecord', [
  uint64Big(1, 'count'),
  repeated(2, 'offences', OFFENCE, OFFENCES_KEPT_MAX),
]);

const STORED_NUMBER = table<{ readonly next: bigint }>('orrery.evidence.StoredNumber', [
  uint64Big(1, 'next'),
]);

/** Key of a validator's record in the module store, by its consensus address. */
const offenceKey = (validator: Address): Bytes => moduleKey(RECORD_PREFIX, validator);

function decodeOffenceRecord(value: Bytes): OffenceRecord {
  const decoded = decode(RECORD, value);
  assert(decoded.ok, 'the evidence store holds records');
  return decoded.value;
}

/** Undefined for a validator without offences. */
export function readOffences(store: ModuleReader, validator: Address): OffenceRecord | undefined {
  const value = store.module(offenceKey(validator));
  return value === undefined ? undefined : decodeOffenceRecord(value);
}

/** How many validators have a record. */
export function offenderCount(store: ModuleReader): bigint {
  const value = store.module(NEXT_NUMBER_KEY);
  if (value === undefined) return 0n;
  const decoded = decode(STORED_NUMBER, value);
  assert(decoded.ok, 'the evidence store holds the next number');
  return decoded.value.next;
}

const numberKey = (number: bigint): Bytes => moduleKey(NUMBER_PREFIX, bigintToFixed(number, 8));

/** Offenders in the order of their first offence, from 0. */
export const offenderAt = (store: ModuleReader, number: bigint): Address | undefined =>
  store.module(numberKey(number));

function numberOffender(store: ModuleStore, validator: Address): void {
  const number = offenderCount(store);
  store.putModule(numberKey(number), validator);
  store.putModule(NEXT_NUMBER_KEY, encode(STORED_NUMBER, { next: number + 1n }));
}

/**
 * Records the misbehavior that the block at `height` proves. Returns each offence with its number among the
 * validator's.
 */
export function recordMisbehavior(
  store: ModuleStore,
  height: Height,
  misbehavior: readonly Misbehavior[],
): readonly { readonly validator: Address; readonly offence: Offence; readonly count: bigint }[] {
  return misbehavior.map(({ kind, validator, height: at, time, totalVotingPower }) => {
    const { address, power } = validator;
    assert(address.length === 20, 'a validator has an address');
    const known = readOffences(store, address);
    if (known === undefined) numberOffender(store, address);
    const offence = { kind, height: at, time, power, totalPower: totalVotingPower, recordedAt: height };
    const offences = [...(known?.offences ?? []), offence].slice(-OFFENCES_KEPT_MAX);
    const count = (known?.count ?? 0n) + 1n;
    store.putModule(offenceKey(address), encode(RECORD, { count, offences }));
    return { validator: address, offence, count };
  });
}
