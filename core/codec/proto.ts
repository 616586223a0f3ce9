/**
 * Messages as tables: one encoder and one decoder follow from an ordered list of fields.
 *
 * The encoding is gogoproto's as CometBFT uses it: fields in ascending order, scalars omitted if they equal their
 * default, `embed` messages always written, negative integers in ten bytes. The decoder accepts only that encoding, so
 * whatever it accepts encodes to the same bytes again. Tables nest but never recurse, so their number limits the depth.
 * test/core/codec/protoFiles.test.ts compares them with proto/*.proto.
 */
import { assert } from '../lib/assert.ts';
import type { Bytes } from '../lib/bytes.ts';
import { ok, type Result } from '../lib/result.ts';
import type { Field } from './fields.ts';
import { absent, readField } from './readField.ts';
import { type CodecError, Reader } from './wire.ts';
import { fieldWriter } from './writeField.ts';
import { type Writer, written } from './writer.ts';

/** Anything that can be the content of a length-delimited field. */
export interface Shape<T> {
  /** Message name, as in the .proto file. */
  readonly name: string;
  write(writer: Writer, value: T): void;
  /** Reads up to `reader.end`. After a failure `reader.error` is set and the result is meaningless. */
  read(reader: Reader): T;
}

export interface Table<T> extends Shape<T> {
  readonly fields: readonly AnyField[];
  readonly options: TableOptions<T>;
}

export interface TableOptions<T> {
  /** Set as `kind` on every decoded value, if the table is a case of a union. */
  readonly kind?: string;
  /** What to do with fields that the table does not know, which peers of a later release may send. Default `refuse`. */
  readonly unknown?: 'refuse' | 'ignore';
  /** Checks a decoded value across its fields. Returns what is wrong. */
  readonly check?: (value: T) => string | undefined;
}

// biome-ignore lint/suspicious/noExplicitAny: a table holds fields of every type; builders keep them typed.
export type AnyField = Field<string, any>;
type FieldOf<T> = { [K in keyof T & string]: Field<K, T[K]> }[keyof T & string];

/** Keyed access that the table's type has already checked. */
type Loose = Record<string, unknown>;

/** Declares a message. `fields` are in ascending order of number. */
export function table<T>(
  name: string,
  fields: readonly FieldOf<T>[],
  options: TableOptions<T> = {},
): Table<T> {
  const list = fields as readonly AnyField[];
  for (let i = 1; i < list.length; i++) {
    assert((list[i - 1] as AnyField).number < (list[i] as AnyField).number, `${name}: fields not ascending`);
  }
  const paths = list.map((field) => `${name}.${field.name}`);
  const numbers = new Set(list.map((field) => field.number));
  const keys = list.map((field) => field.key);
  const writers = list.map(fieldWriter);
  return {
    name,
    fields: list,
    options,
    write(writer, value) {
      for (let i = 0; i < list.length; i++) {
        (writers[i] as (typeof writers)[number])(writer, (value as Loose)[keys[i] as string]);
      }
    },
    read(reader) {
      const value: Loose = options.kind === undefined ? {} : { kind: options.kind };
      for (let i = 0; i < list.length; i++) {
        const field = list[i] as AnyField;
        const path = paths[i] as string;
        let tag = reader.peekTag(name);
        while (tag !== 0 && options.unknown === 'ignore' && !numbers.has(tag >>> 3)) {
          reader.skip(name);
          tag = reader.peekTag(name);
        }
        const number = tag >>> 3;
        if (number === field.number) value[field.key] = readField(reader, field, path, tag);
        else if (tag !== 0 && number < field.number) failAt(reader, name, numbers, number);
        else value[field.key] = absent(reader, field, path);
      }
      finishReading(reader, name, numbers, options.unknown === 'ignore');
      if (options.check !== undefined && reader.error === undefined) {
        const problem = options.check(value as T);
        if (problem !== undefined) reader.fail(name, problem);
      }
      return value as T;
    },
  };
}

/** The same message, but unknown fields at its own level are skipped. */
export const tolerant = <T>(base: Table<T>): Table<T> =>
  table(base.name, base.fields as unknown as readonly FieldOf<T>[], { ...base.options, unknown: 'ignore' });

function failAt(reader: Reader, name: string, known: ReadonlySet<number>, number: number): void {
  const isKnown = known.has(number);
  reader.fail(name, isKnown ? `field ${number} is out of order or given twice` : `unknown field ${number}`);
}

function finishReading(
  reader: Reader,
  name: string,
  known: ReadonlySet<number>,
  ignoreUnknown: boolean,
): void {
  for (let tag = reader.peekTag(name); tag !== 0; tag = reader.peekTag(name)) {
    const number = tag >>> 3;
    if (ignoreUnknown && !known.has(number)) reader.skip(name);
    else failAt(reader, name, known, number);
  }
}

/** A shape seen as another type. */
export interface MappedShape<T, W> extends Shape<T> {
  readonly wire: Shape<W>;
  readonly toWire: (value: T) => W;
}

/** `fromWire` may refuse a value, with a text that says why. */
export const mapped = <T, W>(
  wire: Shape<W>,
  toWire: (value: T) => W,
  fromWire: (value: W) => Result<T, string>,
): MappedShape<T, W> => ({
  name: wire.name,
  wire,
  toWire,
  write: (writer, value) => wire.write(writer, toWire(value)),
  read(reader) {
    const value = wire.read(reader);
    if (reader.error !== undefined) return undefined as T;
    const result = fromWire(value);
    if (result.ok) return result.value;
    reader.fail(wire.name, result.error);
    return undefined as T;
  },
});

export const encode = <T>(shape: Shape<T>, value: T): Bytes => written(shape.write, value);

/** Decodes the message that `bytes` canonically encode. The result shares no memory with them. */
export const decode: Decode = (shape, bytes) => decodeFrom(shape, new Reader(bytes));

/**
 * Like `decode`, but accepts default numbers and empty texts that are written out, as protobufjs does. A message then
 * has several encodings, so use this only for bytes that are hashed or signed as they are.
 */
export const decodeWordy: Decode = (shape, bytes) => decodeFrom(shape, new Reader(bytes, true));

export type Decode = <T>(shape: Shape<T>, bytes: Bytes) => Result<T, CodecError>;

function decodeFrom<T>(shape: Shape<T>, reader: Reader): Result<T, CodecError> {
  const value = shape.read(reader);
  if (reader.error === undefined && reader.at < reader.end) reader.fail(shape.name, 'bytes left over');
  return reader.error === undefined ? ok(value) : { ok: false, error: reader.error };
}
