/** One argument specification per method, for URI, JSON-RPC and websocket requests. */

import { evidenceFromJson } from '../../codec/evidenceJson.ts';
import { parseJson as parsePlainJson } from '../../codec/jsonReader.ts';
import { type Bytes, EMPTY, parseHex } from '../../lib/bytes.ts';
import { err, ok, type Result } from '../../lib/result.ts';
import { decodeUtf8, encodeUtf8 } from '../../lib/utf8.ts';
import type { Evidence } from '../../types/evidence.ts';
import { goKind } from '../eth/goHex.ts';
import { isArray, isObject, type Json, JsonNumber, parseJson, renderJson } from '../jsonText.ts';
import { fromGoBase64 } from './goBase64.ts';

/** `?`: the argument is optional. `tx` is like `bytes`, with another Go type name. */
export type ArgType =
  | 'int64'
  | 'int64?'
  | 'int?'
  | 'uint'
  | 'bool'
  | 'bool?'
  | 'string'
  | 'bytes'
  | 'tx'
  | 'hex'
  | 'evidence?'
  | 'strings';

export interface ArgSpec {
  readonly name: string;
  readonly type: ArgType;
}

/** A value of its type; undefined for an absent pointer (`?`), the type's zero otherwise. */
export type ArgValue = bigint | boolean | string | Bytes | Evidence | readonly string[] | undefined;
export type Args = ReadonlyMap<string, ArgValue>;

interface Range {
  readonly name: string;
  readonly least: bigint;
  readonly most: bigint;
}
const signed = (name: string): Range => ({ name, least: -(1n << 63n), most: (1n << 63n) - 1n });

const INTEGERS: Partial<Readonly<Record<ArgType, Range>>> = {
  int64: signed('int64'),
  'int64?': signed('int64'),
  'int?': signed('int'),
  uint: { name: 'uint', least: 0n, most: (1n << 64n) - 1n },
};
/** The Go type names of byte arguments, for errors. */
const BYTES_TYPES: Partial<Readonly<Record<ArgType, string>>> = { bytes: '[]uint8', tx: 'types.Tx' };

/** The Go kind behind an argument type that is neither text nor bytes. */
function goKindOf(type: ArgType): string {
  const integer = INTEGERS[type];
  if (integer !== undefined) return integer.name;
  if (type === 'strings') return 'slice';
  return type === 'evidence?' ? 'interface' : 'bool';
}

function zeroOf(type: ArgType): ArgValue {
  if (type.endsWith('?')) return undefined;
  if (type === 'strings') return [];
  if (INTEGERS[type] !== undefined) return 0n;
  if (type === 'bool') return false;
  return type === 'string' ? '' : EMPTY;
}

/** Go's error text. For integer types it includes the digits of the number. */
function unmarshalError(value: Json, type: string): string {
  const isInteger = /^u?int/.test(type) && value instanceof JsonNumber;
  const kind = isInteger ? `number ${value.text}` : goKind(value);
  return `json: cannot unmarshal ${kind} into Go value of type ${type}`;
}

/** Hex digits without `0x`, with the errors of Go's encoding/hex. */
export function goHexBytes(text: string): Result<Bytes, string> {
  const stranger = /[^0-9a-fA-F]/u.exec(text)?.[0];
  if (stranger !== undefined) {
    const code = (stranger.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    return err(`encoding/hex: invalid byte: U+${code} '${stranger}'`);
  }
  const bytes = parseHex(`0x${text}`);
  return bytes.ok ? bytes : err('encoding/hex: odd length hex string');
}

function readInt(value: Json, { name, least, most }: Range): Result<bigint, string> {
  if (typeof value !== 'string') {
    return err(`invalid 64-bit integer encoding ${JSON.stringify(renderJson(value))}, expected string`);
  }
  // Go parses the text inside the quotes as JSON again.
  const inner = parseJson(value);
  if (!inner.ok) return err(inner.error.message);
  const isWhole = inner.value instanceof JsonNumber && /^-?[0-9]+$/.test(inner.value.text);
  if (!isWhole) return err(unmarshalError(inner.value, name));
  const number = BigInt(inner.value.text);
  return number >= least && number <= most ? ok(number) : err(unmarshalError(inner.value, name));
}

/** Bytes are base64; Go also accepts a list of numbers. */
function readBytes(value: Json, name: string): Result<Bytes, string> {
  if (typeof value === 'string') return fromGoBase64(value);
  if (!isArray(value)) return err(unmarshalError(value, name));
  const bytes = new Uint8Array(value.length);
  for (const [i, item] of value.entries()) {
    if (item === null) continue;
    const number = item instanceof JsonNumber && /^[0-9]{1,3}$/.test(item.text) ? Number(item.text) : 256;
    if (number > 255) return err(unmarshalError(item, 'uint8'));
    bytes[i] = number;
  }
  return ok(bytes);
}

/** Evidence must state its type. */
function readEvidence(value: Json): Result<Evidence, string> {
  if (!isObject(value)) return err(unmarshalError(value, 'json.interfaceWrapper'));
  for (const member of ['type', 'value'])
    if (!value.has(member)) return err(`interface ${member} cannot be empty`);
  return evidenceFromJson(parsePlainJson(renderJson(value))?.value);
}

function readStrings(value: Json): Result<readonly string[], string> {
  const isList = isArray(value);
  const texts = isList ? value.filter((item) => typeof item === 'string') : [];
  if (isList && texts.length === value.length) return ok(texts);
  return err(unmarshalError(value, '[]string'));
}

/** Reads a JSON value like cmtjson: 64-bit integers are strings, bytes base64, HexBytes hex in either case. */
function readJsonArg(type: ArgType, value: Json): Result<ArgValue, string> {
  if (value === null) return ok(zeroOf(type));
  if (type === 'evidence?') return readEvidence(value);
  const integer = INTEGERS[type];
  if (integer !== undefined) return readInt(value, integer);
  const bytes = BYTES_TYPES[type];
  if (bytes !== undefined) return readBytes(value, bytes);
  if (type === 'hex') return readHex(renderJson(value));
  if (type === 'strings') return readStrings(value);
  if (type === 'string') return typeof value === 'string' ? ok(value) : err(unmarshalError(value, 'string'));
  return typeof value === 'boolean' ? ok(value) : err(unmarshalError(value, 'bool'));
}

/** HexBytes ignores JSON escapes: the text between the two quotes must be hex as it is written. */
const readHex = (text: string): Result<Bytes, string> =>
  /^".*"$/s.test(text) ? goHexBytes(text.slice(1, -1)) : err(`invalid hex string: ${text}`);

/** Arguments from `params` of a request: an object by name, or an array with exactly one entry per argument. */
export function jsonArgs(specs: readonly ArgSpec[], params: Json | undefined): Result<Args, string> {
  const args = new Map<string, ArgValue>(specs.map(({ name, type }) => [name, zeroOf(type)]));
  if (params === undefined || params === null) return ok(args);
  const isList = isArray(params);
  if (!isList && !isObject(params)) {
    const why = unmarshalError(params, '[]json.RawMessage');
    return err(`unknown type for JSON params: ${why}. Expected map or array`);
  }
  if (isList && params.length !== specs.length) {
    const names = specs.map(({ name }) => name).join(' ');
    const given = params.map(renderJson).join(' ');
    return err(`expected ${specs.length} parameters ([${names}]), got ${params.length} ([${given}])`);
  }
  for (const [i, { name, type }] of specs.entries()) {
    const value = isList ? params[i] : params.get(name);
    if (value === undefined) continue;
    const read = readJsonArg(type, value);
    if (!read.ok) return read;
    args.set(name, read.value);
  }
  return ok(args);
}

/** URI values that are not JSON: bare integers, 0x hex, quoted raw bytes. Undefined: the value must be read as JSON. */
function readUriForm(type: ArgType, text: string): Result<ArgValue, string> | undefined {
  const isBytes = type === 'bytes' || type === 'tx' || type === 'hex';
  const integer = INTEGERS[type];
  if (integer !== undefined && /^-?[0-9]+$/.test(text)) return readInt(text, integer);
  if (/^0x/i.test(text)) {
    if (type !== 'string' && !isBytes) return err(`got a hex string arg, but expected '${goKindOf(type)}'`);
    const bytes = goHexBytes(text.slice(2));
    if (!bytes.ok) return bytes;
    return type === 'string' ? ok(decodeUtf8(bytes.value) ?? '') : bytes;
  }
  const isQuoted = text.startsWith('"') && text.endsWith('"');
  if (integer !== undefined && text !== 'null' && !isQuoted)
    return err(`invalid 64-bit integer encoding ${JSON.stringify(text)}, expected string`);
  if (isBytes && isQuoted) {
    const parsed = parseJson(text);
    if (!parsed.ok) return err(parsed.error.message);
    return ok(encodeUtf8(parsed.value as string));
  }
  return type === 'hex' && text !== 'null' ? readHex(text) : undefined;
}

function percentDecoded(text: string): Result<string, string> {
  const spaced = text.replaceAll('+', ' ');
  try {
    return ok(decodeURIComponent(spaced));
  } catch {
    return err(`invalid URL escape in ${JSON.stringify(text)}`);
  }
}

/**
 * The first value of each name. A broken escape is an error here; Go's Request.FormValue would return an empty value.
 */
export function parseQueryString(query: string): Result<ReadonlyMap<string, string>, string> {
  const values = new Map<string, string>();
  for (const pair of query.split('&')) {
    if (pair === '') continue;
    const mark = pair.indexOf('=');
    const name = percentDecoded(mark < 0 ? pair : pair.slice(0, mark));
    const value = percentDecoded(mark < 0 ? '' : pair.slice(mark + 1));
    if (!name.ok) return name;
    if (!value.ok) return value;
    if (!values.has(name.value)) values.set(name.value, value.value);
  }
  return ok(values);
}

/** Arguments of a URI request. */
export function uriArgs(specs: readonly ArgSpec[], query: string): Result<Args, string> {
  const values = parseQueryString(query);
  if (!values.ok) return values;
  const args = new Map<string, ArgValue>(specs.map(({ name, type }) => [name, zeroOf(type)]));
  for (const { name, type } of specs) {
    const text = values.value.get(name) ?? '';
    if (text === '') continue;
    const read = readUriForm(type, text) ?? readUriJson(type, text);
    if (!read.ok) return read;
    args.set(name, read.value);
  }
  return ok(args);
}

function readUriJson(type: ArgType, text: string): Result<ArgValue, string> {
  const parsed = parseJson(text);
  return parsed.ok ? readJsonArg(type, parsed.value) : err(parsed.error.message);
}
