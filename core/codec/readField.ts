import { unreachable } from '../lib/assert.ts';
import { EMPTY } from '../lib/bytes.ts';
import { type Presence, WIRE_OF } from './fields.ts';
import type { AnyField, Shape } from './proto.ts';
import type { Reader } from './wire.ts';
import { isDefault } from './writeField.ts';

/** The value of a field that is absent from the bytes. */
export function absent(reader: Reader, field: AnyField, path: string): unknown {
  switch (field.presence as Presence) {
    case 'repeated':
      return [];
    case 'optional':
      return undefined;
    case 'always':
      reader.fail(path, 'is missing');
      return undefined;
    default:
  }
  switch (field.kind) {
    case 'bytes':
      return EMPTY;
    case 'string':
      return '';
    case 'bool':
      return false;
    case 'int64Big':
    case 'uint64Big':
      return 0n;
    default:
      return 0;
  }
}

/** Reads the field whose tag comes next. For a repeated field it reads all entries. */
export function readField(reader: Reader, field: AnyField, path: string, tag: number): unknown {
  if (tag !== field.tag) {
    reader.fail(path, `wire type ${tag & 7}, expected ${WIRE_OF[field.kind]}`);
    return undefined;
  }
  if (field.presence === 'repeated') return readRepeated(reader, field, path);
  reader.uint32(path);
  const value = readValue(reader, field, path);
  if (field.presence === 'implicit' && reader.error === undefined && isDefault(field.kind, value)) {
    // Empty bytes are still refused: some tables keep a message as its bytes, and an empty message differs from none.
    if (!reader.takesDefaults || field.kind === 'bytes') reader.fail(path, 'a default is written out');
  }
  return value;
}

function readRepeated(reader: Reader, field: AnyField, path: string): unknown[] {
  const items: unknown[] = [];
  while (reader.peekTag(path) === field.tag) {
    if (items.length === field.countMax) {
      reader.fail(path, `more than ${field.countMax} entries`, field.countMax);
      break;
    }
    reader.uint32(path);
    items.push(readValue(reader, field, path));
  }
  return items;
}

function readValue(reader: Reader, field: AnyField, path: string): unknown {
  switch (field.kind) {
    case 'uint32':
      return reader.uint32(path);
    case 'int32':
      return reader.int32(path);
    case 'int64':
      return reader.int64(path);
    case 'uint64':
      return reader.uint64(path);
    case 'int64Big':
      return reader.int64Big(path);
    case 'uint64Big':
      return reader.uint64Big(path);
    case 'bool':
      return reader.bool(path);
    case 'string':
      return reader.string(path, field.bytesMax);
    case 'bytes':
      return reader.bytes(path, field.bytesMax);
    case 'enum': {
      const number = reader.uint32(path);
      const value = field.names[number];
      if (value === undefined) reader.fail(path, `unknown value ${number}`);
      return value;
    }
    case 'message': {
      const outer = reader.enter(path, field.bytesMax);
      const value = (field.shape as Shape<unknown>).read(reader);
      reader.leave(path, outer);
      return value;
    }
    default:
      return unreachable(field.kind);
  }
}
