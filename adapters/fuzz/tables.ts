/** Targets for the API's messages: values generated from the tables, and bytes that resemble them. */
import fc from 'fast-check';
import protobuf from 'protobufjs';
import { type AnyField, decode, encode, type Shape, type Table } from '../../core/codec/proto.ts';
import { EMPTY, toHex } from '../../core/lib/bytes.ts';
import { ENUM_TYPES } from '../../core/rpc/cosmos/enumNames.ts';
import { fromProtoJson, protoJson } from '../../core/rpc/cosmos/protoJson.ts';
import { ANY_TABLES } from '../../core/rpc/cosmos/registry.ts';
import { GrpcError } from '../../core/rpc/cosmos/status.ts';
import { SERVICE_METHODS } from '../../core/rpc/cosmos/table.ts';
import { serviceRoot } from '../grpc/descriptors.ts';
import { protoTexts } from '../grpc/protoText.ts';
import { agree, damagedBytes, type FuzzTarget, holds } from './target.ts';

const DEPTH = 4;

const isTable = (shape: Shape<unknown> | undefined): shape is Table<unknown> =>
  shape !== undefined && 'fields' in shape;

const int = (bits: bigint, isSigned: boolean): fc.Arbitrary<bigint> =>
  isSigned
    ? fc.bigInt({ min: -(2n ** (bits - 1n)), max: 2n ** (bits - 1n) - 1n })
    : fc.bigInt({ min: 0n, max: 2n ** bits - 1n });

/** A value of one field; undefined for a kind that these tables do not have. */
function scalar(field: AnyField, depth: number): fc.Arbitrary<unknown> | undefined {
  const lengthMax = Math.min(field.bytesMax, 40);
  switch (field.kind) {
    case 'string':
      return fc.string({ unit: 'grapheme-ascii', maxLength: lengthMax });
    case 'bytes':
      return fc.uint8Array({ maxLength: lengthMax });
    case 'bool':
      return fc.boolean();
    case 'uint64Big':
      return int(64n, false);
    case 'int64Big':
      return int(64n, true);
    case 'uint64':
      return fc.nat({ max: Number.MAX_SAFE_INTEGER });
    case 'int64':
      return fc.maxSafeInteger();
    case 'uint32':
      return fc.nat({ max: 0xffff_ffff });
    case 'int32':
      return fc.integer();
    case 'message':
      return isTable(field.shape) && depth > 0 ? anyValue(field.shape, depth - 1) : undefined;
    default:
      return undefined;
  }
}

function absentOf(field: AnyField): unknown {
  if (field.presence === 'repeated') return [];
  const defaults: Readonly<Record<string, unknown>> = {
    string: '',
    bytes: EMPTY,
    bool: false,
    uint64Big: 0n,
    int64Big: 0n,
    message: undefined,
  };
  return field.kind in defaults ? defaults[field.kind] : 0;
}

const made = new Map<string, fc.Arbitrary<unknown>>();

function anyValue(table: Table<unknown>, depth = DEPTH): fc.Arbitrary<unknown> {
  const key = `${table.name} ${depth}`;
  const known = made.get(key) ?? valuesOf(table, depth);
  made.set(key, known);
  return known;
}

function valuesOf(table: Table<unknown>, depth: number): fc.Arbitrary<unknown> {
  const fields = table.fields.map((field): readonly [string, fc.Arbitrary<unknown>] => {
    const one = scalar(field, depth);
    const absent = fc.constant(absentOf(field));
    if (one === undefined) return [field.key, absent];
    if (field.presence === 'repeated')
      return [field.key, fc.array(one, { maxLength: Math.min(3, field.countMax) })];
    return [field.key, field.presence === 'always' ? one : fc.oneof(one, absent)];
  });
  return fc.record(Object.fromEntries(fields));
}

/** Whether all fields can be generated: a required field that `anyValue` cannot make would prevent encoding. */
const canMake = (table: Table<unknown>, depth = DEPTH): boolean =>
  table.fields.every(
    (field) =>
      field.kind !== 'enum' &&
      (field.kind !== 'message' || (isTable(field.shape) && depth > 0 && canMake(field.shape, depth - 1))),
  );

/** Enums here are unsigned, protobuf's are signed: for numbers outside the enum the two encode different bytes. */
const hasEnum = (table: Table<unknown>): boolean =>
  table.fields.some(
    (field) =>
      ENUM_TYPES[`${table.name}.${field.name}`] !== undefined ||
      (isTable(field.shape) && hasEnum(field.shape)),
  );

const TABLES: readonly Table<unknown>[] = [
  ...new Set([...ANY_TABLES, ...SERVICE_METHODS.flatMap(({ request, response }) => [request, response])]),
].filter((table) => canMake(table));

/** Encoded messages of any table, some of them damaged. */
const someBytes = (foreign: fc.Arbitrary<Uint8Array>): fc.Arbitrary<readonly [number, Uint8Array]> =>
  fc.oneof(
    ...TABLES.map((table, which) => {
      const written = anyValue(table).map((value) => encode(table, value));
      const bytes = fc.oneof(written, damagedBytes(written), foreign, fc.uint8Array({ maxLength: 64 }));
      return bytes.map((one) => [which, one] as const);
    }),
  );

/** undefined if the read was refused with a GrpcError, which is allowed. */
function refusedOr<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (failure) {
    if (failure instanceof GrpcError) return undefined;
    throw failure;
  }
}

/** The API parsed from .proto text: proto3 enums are open, but those of a root built by hand are not. */
function proto3Root(): protobuf.Root {
  const root = new protobuf.Root();
  for (const text of protoTexts(serviceRoot(SERVICE_METHODS), new Map()).values())
    protobuf.parse(text, root, { keepCase: true });
  for (const name of ['any', 'timestamp', 'duration']) {
    const common = protobuf.common.get(`google/protobuf/${name}.proto`);
    if (common?.nested !== undefined) root.addJSON(common.nested);
  }
  root.resolveAll();
  return root;
}

/** What decodes must encode to the same bytes again, with protobufjs too, and survive JSON. */
export function tableProperty(foreign: fc.Arbitrary<Uint8Array>): ReturnType<FuzzTarget['property']> {
  const root = proto3Root();
  const types = TABLES.map((table) => ({
    type: root.lookupType(table.name),
    isSame: !hasEnum(table),
  }));
  return holds(someBytes(foreign), ([which, bytes]) => {
    const table = TABLES[which] as Table<unknown>;
    const value = decode(table, bytes);
    if (!value.ok) return;
    agree(table.name, toHex(encode(table, value.value)), toHex(bytes));
    const { type, isSame } = types[which] as (typeof types)[number];
    if (isSame)
      agree('as protobufjs writes it', toHex(type.encode(type.decode(bytes)).finish()), toHex(bytes));
    const json = protoJson(table, value.value);
    const again = refusedOr(() => fromProtoJson(table, json)) ?? value.value;
    agree('JSON of JSON', JSON.stringify(protoJson(table, again)), JSON.stringify(json));
  });
}
