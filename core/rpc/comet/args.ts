/** One argument specification for URI, JSON-RPC and websocket requests (reference §5.1). */

import { fromBase64 } from '../../lib/base64.ts';
import { type Bytes, EMPTY, parseHex } from '../../lib/bytes.ts';
import { err, ok, type Result } from '../../lib/result.ts';
import { decodeUtf8, encodeUtf8 } from '../../lib/utf8.ts';
import { goKind } from '../eth/goHex.ts';
import { isArray, isObject, type Json, JsonNumber, parseJson, renderJson } from '../jsonText.ts';

/** `json`: any value, handed on as its text; empty when absent. */
export type ArgType = 'int64' | 'int64?' | 'bool' | 'bool?' | 'string' | 'bytes' | 'hex' | 'json' | 'strings';

export interface ArgSpec {
  readonly name: string;
  readonly type: ArgType;
}

/** A value of its type; undefined for an absent pointer (`?`), the type's zero otherwise. */
export type ArgValue = bigint | boolean | string | Bytes | readonly string[] | undefined;
export type Args = ReadonlyMap<string, ArgValue>;

const INT64_MAX = (1n << 63n) - 1n;

/** Go's name of the kind behind a type, for error texts. */
const GO_KIND: Readonly<Record<ArgType, string>> = {
  int64: 'int64',
  'int64?': 'int64',
  bool: 'bool',
  'bool?': 'bool',
  string: 'string',
  bytes: 'slice',
  hex: 'slice',
  json: 'interface',
  strings: 'slice',
};

export function zeroOf(type: ArgType): ArgValue {
  if (type === 'int64?' || type === 'bool?') return undefined;
  if (type === 'strings') return [];
  if (type === 'int64') return 0n;
  if (type === 'bool') return false;
  return type === 'string' || type === 'json' ? '' : EMPTY;
}

/** In Go's words; an integer that is not one is told with its digits. */
function unmarshalError(value: Json, type: string): string {
  const kind = type === 'int64' && value instanceof JsonNumber ? `number ${value.text}` : goKind(value);
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

function readInt(value: Json): Result<bigint, string> {
  if (typeof value !== 'string') {
    return err(`invalid 64-bit integer encoding ${JSON.stringify(renderJson(value))}, expected string`);
  }
  // Go reads the text within the quotes as JSON once more.
  const inner = parseJson(value);
  if (!inner.ok) return err(inner.error.message);
  if (!(inner.value instanceof JsonNumber)) return err(unmarshalError(inner.value, 'int64'));
  if (!/^-?[0-9]+$/.test(inner.value.text)) return err(unmarshalError(inner.value, 'int64'));
  const number = BigInt(inner.value.text);
  if (number > INT64_MAX || number < -INT64_MAX - 1n) {
    return err(unmarshalError(inner.value, 'int64'));
  }
  return ok(number);
}

function readStrings(value: Json): Result<readonly string[], string> {
  const isList = isArray(value);
  const texts = isList ? value.filter((item) => typeof item === 'string') : [];
  if (isList && texts.length === value.length) return ok(texts);
  return err(unmarshalError(value, '[]string'));
}

/** A JSON value as cmtjson reads it: 64-bit integers are texts, bytes base64, HexBytes hex of either case. */
export function readJsonArg(type: ArgType, value: Json): Result<ArgValue, string> {
  if (value === null) return ok(zeroOf(type));
  if (type === 'json') return ok(renderJson(value));
  if (type === 'int64' || type === 'int64?') return readInt(value);
  if (type === 'bool' || type === 'bool?') {
    return typeof value === 'boolean' ? ok(value) : err(unmarshalError(value, 'bool'));
  }
  if (type === 'strings') return readStrings(value);
  if (typeof value !== 'string') return err(unmarshalError(value, 'string'));
  if (type === 'string') return ok(value);
  if (type === 'hex') return goHexBytes(value);
  const bytes = fromBase64(value);
  return bytes.ok ? bytes : err(`illegal base64 data: ${bytes.error.message}`);
}

/** `params` of a request: an object by name or an array of exact length. */
export function jsonArgs(specs: readonly ArgSpec[], params: Json | undefined): Result<Args, string> {
  const args = new Map<string, ArgValue>(specs.map(({ name, type }) => [name, zeroOf(type)]));
  if (params === undefined || params === null) return ok(args);
  const isList = isArray(params);
  if (!isList && !isObject(params)) return err(`unknown type for JSON params: ${renderJson(params)}`);
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

/** A URI value that is not JSON: bare integers, 0x hex, quoted raw bytes; undefined leaves it to the JSON reader. */
function readUriForm(type: ArgType, text: string): Result<ArgValue, string> | undefined {
  const isInt = type === 'int64' || type === 'int64?';
  if (isInt && /^-?[0-9]+$/.test(text)) return readInt(text);
  if (/^0x/i.test(text)) {
    if (isInt || type === 'bool' || type === 'bool?')
      return err(`got a hex string arg, but expected '${GO_KIND[type]}'`);
    const bytes = goHexBytes(text.slice(2));
    if (!bytes.ok) return bytes;
    return type === 'string' ? ok(decodeUtf8(bytes.value) ?? '') : bytes;
  }
  if (isInt && text !== 'null' && !/^".*"$/s.test(text))
    return err(`invalid 64-bit integer encoding ${JSON.stringify(text)}, expected string`);
  if ((type === 'bytes' || type === 'hex') && /^".*"$/s.test(text)) {
    const parsed = parseJson(text);
    return parsed.ok && typeof parsed.value === 'string'
      ? ok(encodeUtf8(parsed.value))
      : err(`invalid string ${text}`);
  }
  return undefined;
}

function percentDecoded(text: string): Result<string, string> {
  const spaced = text.replaceAll('+', ' ');
  try {
    return ok(decodeURIComponent(spaced));
  } catch {
    return err(`invalid URL escape in ${JSON.stringify(text)}`);
  }
}

/** The first value of each name; a broken escape is an error, as in Go's Request.FormValue it would be an empty value. */
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
