import { assert, unreachable } from '../lib/assert.ts';
import type { Bytes } from '../lib/bytes.ts';
import type { Kind } from './fields.ts';
import type { AnyField, Shape } from './proto.ts';
import type { Writer } from './writer.ts';

type Write = (writer: Writer, value: unknown) => void;

/** Returns a function that writes tag and value according to the field's presence. Made once per table. */
export function fieldWriter(field: AnyField): Write {
  const { tag, kind, presence } = field;
  const put = valueWriter(field);
  switch (presence) {
    case 'implicit':
      if (kind === 'bytes') return implicitBytes(tag);
      return (writer, value) => {
        if (isDefault(kind, value)) return;
        writer.uint32(tag);
        put(writer, value);
      };
    case 'optional':
      return (writer, value) => {
        if (value === undefined) return;
        writer.uint32(tag);
        put(writer, value);
      };
    case 'always':
      return (writer, value) => {
        writer.uint32(tag);
        put(writer, value);
      };
    case 'repeated':
      return (writer, value) => {
        for (const item of value as readonly unknown[]) {
          writer.uint32(tag);
          put(writer, item);
        }
      };
    default:
      return unreachable(presence);
  }
}

/** Half of all fields are of this kind: hashes, addresses, signatures. */
const implicitBytes =
  (tag: number): Write =>
  (writer, value) => {
    if ((value as Bytes).length === 0) return;
    writer.uint32(tag);
    writer.bytes(value as Bytes);
  };

/** Whether proto3 omits this value. */
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

function valueWriter({ kind, name, names, shape }: AnyField): Write {
  switch (kind) {
    case 'uint32':
      return (writer, value) => {
        assert((value as number) >>> 0 === value, 'number is not a uint32');
        writer.uint32(value as number);
      };
    case 'int32':
      return (writer, value) => {
        assert(((value as number) | 0) === value, 'number is not an int32');
        writer.int64(value as number);
      };
    case 'int64':
    case 'uint64':
      return (writer, value) => writer.int64(value as number);
    case 'int64Big':
    case 'uint64Big':
      return (writer, value) => writer.big(value as bigint);
    case 'bool':
      return (writer, value) => writer.uint32(value === true ? 1 : 0);
    case 'string':
      return (writer, value) => writer.string(value as string);
    case 'bytes':
      return (writer, value) => writer.bytes(value as Bytes);
    case 'enum': {
      const problem = `${name} has no such value`;
      return (writer, value) => {
        const number = names.indexOf(value as string);
        assert(number >= 0, problem);
        writer.uint32(number);
      };
    }
    case 'message': {
      const inner = shape as Shape<unknown>;
      return (writer, value) => {
        const mark = writer.open();
        inner.write(writer, value);
        writer.close(mark);
      };
    }
    default:
      return unreachable(kind);
  }
}
