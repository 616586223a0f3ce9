/** chain.evidence.v1: which validators are proven to have misbehaved, and when. */
import { formatAddress, parseAnyAddress } from '../../../address/kinds.ts';
import {
  OFFENCES_KEPT_MAX,
  type Offence,
  type OffenceRecord,
  offenderAt,
  offenderCount,
  readOffences,
} from '../../../app/evidence/keeper.ts';
import { embed, int64, int64Big, optional, repeated, string, uint64Big } from '../../../codec/fields.ts';
import { type Table, table } from '../../../codec/proto.ts';
import { TIMESTAMP } from '../../../codec/time.ts';
import { formatProtoTime } from '../../../codec/timeText.ts';
import type { Address } from '../../../types/ids.ts';
import { PAGE_REQUEST, PAGE_RESPONSE, type PageRequest, type PageResponse, pageOf } from '../paging.ts';
import { protoJson } from '../protoJson.ts';
import { type ServiceMethod, serviceMethod } from '../service.ts';
import { GRPC, GrpcError } from '../status.ts';

const SERVICE = 'chain.evidence.v1.Query';
const ROOT = '/chain/evidence/v1';
const PACKAGE = 'chain.evidence.v1';
const RECORDS_MAX = 1000;

interface ShownOffence extends Omit<Offence, 'kind'> {
  readonly type: string;
}
const OFFENCE = table<ShownOffence>(`${PACKAGE}.Offence`, [
  string(1, 'type', 64),
  int64(2, 'height'),
  embed(3, 'time', TIMESTAMP),
  int64Big(4, 'power'),
  int64Big(5, 'totalPower'),
  int64(6, 'recordedAt'),
]);

interface ShownRecord {
  readonly consensusAddress: string;
  readonly count: bigint;
  readonly offences: readonly ShownOffence[];
}
const RECORD = table<ShownRecord>(`${PACKAGE}.MisbehaviorRecord`, [
  string(1, 'consensusAddress', 256),
  uint64Big(2, 'count'),
  repeated(3, 'offences', OFFENCE, OFFENCES_KEPT_MAX),
]);

const shown = (validator: Address, { count, offences }: OffenceRecord, hrp: string): ShownRecord => ({
  consensusAddress: formatAddress('cons', hrp, validator),
  count,
  offences: offences.map(({ kind, ...rest }) => ({ type: kind, ...rest })),
});

const json = <T>(of: Table<T>, value: T) => protoJson(of as unknown as Table<unknown>, value);

/** A record in JSON, with times as RFC 3339 texts. */
const recordJson = ({ offences, ...rest }: ShownRecord) => ({
  ...json(RECORD, { ...rest, offences: [] }),
  offences: offences.map((offence) => ({ ...json(OFFENCE, offence), time: formatProtoTime(offence.time) })),
});

/** Reads a consensus address in Bech32, or in hex as the consensus RPC shows it. */
function consensusAddress(text: string, hrp: string): Address {
  const parsed = parseAnyAddress(text, hrp);
  if (!parsed.ok) throw new GrpcError(GRPC.invalidArgument, parsed.error.message);
  const { kind, address } = parsed.value;
  if (kind === 'cons' || kind === 'hex') return address;
  throw new GrpcError(GRPC.invalidArgument, `${text} is not a consensus address`);
}

export const evidenceMethods: readonly ServiceMethod[] = [
  serviceMethod({
    service: SERVICE,
    name: 'Misbehaviors',
    path: `${ROOT}/misbehavior`,
    doc: 'Every validator that was proven to misbehave, in the order of their first offences.',
    request: table<{ readonly pagination: PageRequest | undefined }>(`${PACKAGE}.QueryMisbehaviorsRequest`, [
      optional(1, 'pagination', PAGE_REQUEST),
    ]),
    response: table<{
      readonly records: readonly ShownRecord[];
      readonly pagination: PageResponse | undefined;
    }>(`${PACKAGE}.QueryMisbehaviorsResponse`, [
      repeated(1, 'records', RECORD, RECORDS_MAX),
      optional(2, 'pagination', PAGE_RESPONSE),
    ]),
    run: async ({ ctx, view }, { pagination }) => {
      const { items, page } = await pageOf(ctx, pagination, offenderCount(view), (number) => {
        const validator = offenderAt(view, number);
        const record = validator === undefined ? undefined : readOffences(view, validator);
        return validator === undefined || record === undefined
          ? undefined
          : shown(validator, record, ctx.chain.hrp);
      });
      return { records: items, pagination: page };
    },
    renderRest: ({ records, pagination }) => ({
      records: records.map(recordJson),
      pagination: pagination === undefined ? null : json(PAGE_RESPONSE, pagination),
    }),
  }),
  serviceMethod({
    service: SERVICE,
    name: 'Misbehavior',
    path: `${ROOT}/misbehavior/{consensus_address}`,
    doc: 'What is proven against one validator, by its consensus address in Bech32 or hex: how often, and the newest 16 offences.',
    request: table<{ readonly consensusAddress: string }>(`${PACKAGE}.QueryMisbehaviorRequest`, [
      string(1, 'consensusAddress', 256),
    ]),
    response: table<{ readonly record: ShownRecord }>(`${PACKAGE}.QueryMisbehaviorResponse`, [
      embed(1, 'record', RECORD),
    ]),
    run: ({ ctx, view }, request) => {
      const validator = consensusAddress(request.consensusAddress, ctx.chain.hrp);
      const record = readOffences(view, validator) ?? { count: 0n, offences: [] };
      return { record: shown(validator, record, ctx.chain.hrp) };
    },
    renderRest: ({ record }) => ({ record: recordJson(record) }),
  }),
];
