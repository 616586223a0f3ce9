/** Proto JSON from the tables that also encode: snake_case names, defaults included, 64-bit integers as strings. */
import { ANY, type Any } from '../../app/tx/tables.ts';
import { type AnyField, decodeWordy, encode, type Shape, type Table } from '../../codec/proto.ts';
import { fromBase64, toBase64 } from '../../lib/base64.ts';
import { type Bytes, EMPTY } from '../../lib/bytes.ts';
import { encodeUtf8 } from '../../lib/utf8.ts';
import { ENUM_NAMES } from './enumNames.ts';
import { anyTable } from './registry.ts';
import { GRPC, GrpcError } from './status.ts';

type Loose = Record<string, unknown>;

/** Maximum nesting of Any within Any, as in the SDK: each level costs as much as all that it contains. */
const ANY_DEPTH_MAX = 10;

/** Messages with a oneof: JSON shows only the field that is set. */
const ONE_OFS: ReadonlySet<string> = new Set(['cosmos.tx.v1beta1.ModeInfo']);

const isTable = (shape: Shape<unknown> | undefined): shape is Table<unknown> =>
  shape !== undefined && 'fields' in shape;

/** `depth`: the number of Any messages around this one. */
export function protoJson(table: Table<never> | Table<unknown>, value: unknown, depth = 0): Loose {
  const out: Loose = {};
  const isOneOf = ONE_OFS.has(table.name);
  for (const field of table.fields) {
    const json = fieldJson(table.name, field, (value as Loose)[field.key], depth);
    if (json !== null || !isOneOf) out[field.name] = json;
  }
  return out;
}

function fieldJson(owner: string, field: AnyField, value: unknown, depth: number): unknown {
  if (field.presence === 'repeated') {
    return (value as readonly unknown[]).map((one) => valueJson(owner, field, one, depth));
  }
  // Empty bytes are not encoded, so Go decodes nil.
  const isNil = value === undefined || (field.kind === 'bytes' && (value as Bytes).length === 0);
  return isNil ? null : valueJson(owner, field, value, depth);
}

function valueJson(owner: string, field: AnyField, value: unknown, depth: number): unknown {
  switch (field.kind) {
    case 'bytes':
      return toBase64(value as Bytes);
    case 'int64':
    case 'uint64':
    case 'int64Big':
    case 'uint64Big':
      return String(value);
    case 'message': {
      const shape = field.shape as Shape<unknown>;
      if (shape === (ANY as Shape<unknown>)) return anyJson(value as Any, depth);
      return isTable(shape) ? protoJson(shape, value, depth) : null;
    }
    default: {
      const names = ENUM_NAMES[`${owner}.${field.name}`];
      return names === undefined ? value : (names[value as number] ?? value);
    }
  }
}

/** `{"@type":…}` with the message's fields. A message of unknown type, or nested too deeply, is shown as its bytes. */
export function anyJson({ typeUrl, value }: Any, depth = 0): Loose {
  const table = depth < ANY_DEPTH_MAX ? anyTable(typeUrl) : undefined;
  const decoded = table === undefined ? undefined : decodeWordy(table, value);
  if (table === undefined || decoded?.ok !== true) return { '@type': typeUrl, value: toBase64(value) };
  return { '@type': typeUrl, ...protoJson(table, decoded.value, depth + 1) };
}

const bad = (name: string, expected: string): never => {
  throw new GrpcError(GRPC.invalidArgument, `invalid value for ${name}: expected ${expected}`);
};

const camel = (name: string): string =>
  name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Reads a message from JSON. Names are snake or camel case; absent fields get their defaults. Throws GrpcError. */
export function fromProtoJson(
  table: Table<never> | Table<unknown>,
  json: unknown,
  at = '',
  depth = 0,
): Loose {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) bad(at || table.name, 'an object');
  const given = json as Loose;
  const out: Loose = {};
  for (const field of table.fields) {
    const value = given[field.name] ?? given[camel(field.name)];
    out[field.key] = readJson(
      table.name,
      field,
      value,
      at === '' ? field.name : `${at}.${field.name}`,
      depth,
    );
  }
  return out;
}

/** The value of a field or its default; for a repeated field, all values. */
export function readJson(owner: string, field: AnyField, value: unknown, at: string, depth = 0): unknown {
  if (field.presence === 'repeated') {
    if (value === undefined || value === null) return [];
    if (!Array.isArray(value) || value.length > field.countMax)
      return bad(at, `at most ${field.countMax} entries`);
    return value.map((one, i) => scalarOf(owner, field, one, `${at}[${i}]`, depth));
  }
  if (value !== undefined && value !== null) return scalarOf(owner, field, value, at, depth);
  // For a message field that is never nil, Go writes a message with default fields.
  return field.presence === 'always' && isTable(field.shape)
    ? fromProtoJson(field.shape, {}, at, depth)
    : defaultOf(field);
}

export function defaultOf(field: AnyField): unknown {
  if (field.kind === 'bytes') return EMPTY;
  if (field.kind === 'string') return '';
  if (field.kind === 'bool') return false;
  if (field.kind.endsWith('Big')) return 0n;
  return field.kind === 'message' ? undefined : 0;
}

/** The texts that Go's strconv.ParseBool accepts. */
const BOOLS: ReadonlyMap<unknown, boolean> = new Map([
  ...['1', 't', 'T', 'true', 'TRUE', 'True'].map((text) => [text, true] as const),
  ...['0', 'f', 'F', 'false', 'FALSE', 'False'].map((text) => [text, false] as const),
]);

/** Reads a value from JSON or from the text of a query string. */
export function scalarOf(owner: string, field: AnyField, value: unknown, at: string, depth = 0): unknown {
  switch (field.kind) {
    case 'message':
      if (field.shape === (ANY as Shape<unknown>)) return anyFrom(value, at, depth);
      return isTable(field.shape) ? fromProtoJson(field.shape, value, at, depth) : bad(at, 'nothing');
    case 'string':
      return typeof value === 'string' && encodeUtf8(value).length <= field.bytesMax
        ? value
        : bad(at, `a text of at most ${field.bytesMax} bytes`);
    case 'bytes': {
      const bytes = bytesOf(value, at);
      return bytes.length <= field.bytesMax ? bytes : bad(at, `at most ${field.bytesMax} bytes`);
    }
    case 'bool':
      return typeof value === 'boolean' ? value : (BOOLS.get(value) ?? bad(at, 'true or false'));
    default:
      return numberOf(owner, field, value, at);
  }
}

/** Base64 of either alphabet, or a list of numbers: Go reads bytes from both, and evmosjs broadcasts the latter. */
function bytesOf(value: unknown, at: string): Bytes {
  if (Array.isArray(value)) {
    const isByte = (one: unknown): boolean =>
      Number.isInteger(one) && (one as number) >= 0 && (one as number) < 256;
    return value.every(isByte) ? Uint8Array.from(value) : bad(at, 'numbers from 0 to 255');
  }
  const text =
    typeof value === 'string' ? value.replaceAll('-', '+').replaceAll('_', '/') : bad(at, 'base64');
  const padded = text.padEnd(Math.ceil(text.length / 4) * 4, '=');
  const bytes = fromBase64(padded);
  return bytes.ok ? bytes.value : bad(at, 'base64');
}

function numberOf(owner: string, field: AnyField, value: unknown, at: string): bigint | number {
  const names = ENUM_NAMES[`${owner}.${field.name}`];
  if (names !== undefined && typeof value === 'string') {
    const [number] = Object.entries(names).find(([, name]) => name === value) ?? [];
    if (number !== undefined) return Number(number);
  }
  // JSON parsing has already rounded numbers beyond 2^53, so they are refused.
  const isExact = typeof value === 'string' || Number.isSafeInteger(value);
  const text = isExact ? String(value) : '';
  if (!/^-?[0-9]{1,20}$/.test(text))
    return bad(at, names === undefined ? 'a whole number' : `one of ${Object.values(names).join(', ')}`);
  const number = BigInt(text);
  const isSigned = field.kind.startsWith('int');
  const bits = field.kind.includes('64') ? 64 : 32;
  if ((isSigned ? BigInt.asIntN(bits, number) : BigInt.asUintN(bits, number)) !== number) {
    return bad(at, `a number of ${bits} bits`);
  }
  if (field.kind.endsWith('Big')) return number;
  return Number.isSafeInteger(Number(number)) ? Number(number) : bad(at, 'a safe integer');
}

function anyFrom(value: unknown, at: string, depth: number): Any {
  const typeUrl = (value as Loose | null)?.['@type'];
  if (typeof typeUrl !== 'string') return bad(at, 'an object with @type');
  const table = anyTable(typeUrl);
  if (table === undefined) return bad(at, `a known type, ${typeUrl} is none`);
  const { value: closed } = value as Loose;
  // The form in which anyJson shows a message that it cannot decode.
  if (closed !== undefined && !table.fields.some(({ name }) => name === 'value')) {
    return { typeUrl, value: bytesOf(closed, at) };
  }
  if (depth === ANY_DEPTH_MAX) return bad(at, `at most ${ANY_DEPTH_MAX} messages within each other`);
  return { typeUrl, value: encode(table as Shape<unknown>, fromProtoJson(table, value, at, depth + 1)) };
}
