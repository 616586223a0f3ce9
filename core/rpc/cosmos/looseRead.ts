import type { AnyField, Shape, Table } from '../../codec/proto.ts';
import { absent } from '../../codec/readField.ts';
import { Reader } from '../../codec/wire.ts';
import type { Bytes } from '../../lib/bytes.ts';
import { err, ok, type Result } from '../../lib/result.ts';

type Loose = Record<string, unknown>;

const isTable = (shape: Shape<unknown>): shape is Table<unknown> => 'fields' in shape;

/**
 * Reads a request as any protobuf library may encode it: fields in any order, explicit defaults, unknown fields
 * (skipped), repeated scalars (the last one counts). Nothing hashes a request, so its encoding need not be unique. The
 * table's bounds apply.
 */
export function looseRead<T>(table: Table<T>, bytes: Bytes): Result<T, string> {
  const reader = new Reader(bytes);
  const value = readMessage(reader, table as Table<unknown>);
  return reader.error === undefined ? ok(value as T) : err(reader.error.message);
}

function readMessage(reader: Reader, table: Table<unknown>): Loose {
  const value: Loose = {};
  for (const field of table.fields) value[field.key] = absentOf(reader, field);
  const byNumber = new Map(table.fields.map((field) => [field.number, field]));
  for (let tag = reader.peekTag(table.name); tag !== 0; tag = reader.peekTag(table.name)) {
    const field = byNumber.get(tag >>> 3);
    if (field === undefined || field.tag !== tag) {
      reader.skip(table.name);
      continue;
    }
    reader.uint32(table.name);
    const one = readOne(reader, field);
    if (field.presence !== 'repeated') value[field.key] = one;
    else if ((value[field.key] as unknown[]).push(one) > field.countMax) reader.fail(field.name, 'too many');
  }
  return value;
}

const absentOf = (reader: Reader, field: AnyField): unknown =>
  field.presence === 'always' && field.kind === 'message' ? undefined : absent(reader, field, field.name);

function readOne(reader: Reader, field: AnyField): unknown {
  const { name, bytesMax, shape } = field;
  switch (field.kind) {
    case 'message': {
      const outer = reader.enter(name, bytesMax);
      const value = isTable(shape as Shape<unknown>)
        ? readMessage(reader, shape as Table<unknown>)
        : (shape as Shape<unknown>).read(reader);
      reader.leave(name, outer);
      return value;
    }
    case 'string':
      return reader.string(name, bytesMax);
    case 'bytes':
      return reader.bytes(name, bytesMax);
    case 'bool':
      return reader.bool(name);
    case 'uint64Big':
      return reader.uint64Big(name);
    case 'int64Big':
      return reader.int64Big(name);
    case 'uint64':
      return reader.uint64(name);
    case 'int64':
      return reader.int64(name);
    case 'int32':
      return reader.int32(name);
    default:
      return reader.uint32(name);
  }
}
