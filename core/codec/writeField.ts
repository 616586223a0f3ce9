import { assert, unreachable } from '../lib/assert.ts';
import type { Bytes } from '../lib/bytes.ts';
import type { Kind } from './fields.ts';
import type { AnyField, Shape } from './proto.ts';
import type { Writer } from './writer.ts';

/** Writes tag and value as the field's presence wants it. */
export function writeField(writer: Writer, field: AnyField, value: unknown): void {
  switch (field.presence) {
    case 'implicit':
      if (isDefault(field.kind, value)) return;
      writer.uint32(field.tag);
      writeValue(writer, field, value);
      return;
    case 'optional':
      if (value === undefined) return;
      writer.uint32(field.tag);
      writeValue(writer, field, value);
      return;
    case 'always':
      writer.uint32(field.tag);
      writeValue(writer, field, value);
      return;
    case 'repeated':
      for (const item of value as readonly unknown[]) {
        writer.uint32(field.tag);
        writeValue(writer, field, item);
      }
      return;
    default:
      unreachable(field.presence);
  }
}

/** True for the value that proto3 does not write. */
export function isDefault(kind: Kind, value: unknown): boolean {
  switch (kind) {
    case 'bytes':
    case 'string':
      return (value as Bytes | string).length === 0;
    case 'int64Big':
    case 'uint64Big':
      return value === 0n;
    case 'bool':
      return value === false;
    default:
      return value === 0;
  }
}

function writeValue(writer: Writer, field: AnyField, value: unknown): void {
  switch (field.kind) {
    case 'uint32':
      assert((value as number) >>> 0 === value, 'number is not a uint32');
      return writer.uint32(value as number);
    case 'int32':
      assert(((value as number) | 0) === value, 'number is not an int32');
      return writer.int64(value as number);
    case 'int64':
    case 'uint64':
      return writer.int64(value as number);
    case 'int64Big':
    case 'uint64Big':
      return writer.big(value as bigint);
    case 'bool':
      return writer.uint32(value === true ? 1 : 0);
    case 'string':
      return writer.string(value as string);
    case 'bytes':
      return writer.bytes(value as Bytes);
    case 'enum': {
      const number = field.names.indexOf(value as string);
      assert(number >= 0, `${field.name} has no such value`);
      return writer.uint32(number);
    }
    case 'message': {
      const mark = writer.open();
      (field.shape as Shape<unknown>).write(writer, value);
      return writer.close(mark);
    }
    default:
      unreachable(field.kind);
  }
}
