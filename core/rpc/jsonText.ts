import { err, ok, type Result } from '../lib/result.ts';
import { encodeUtf8 } from '../lib/utf8.ts';

/** A JSON number as written, so that ids are echoed exactly and 256-bit values are not rounded to a double. */
export class JsonNumber {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export type JsonObject = ReadonlyMap<string, Json>;
export type Json = null | boolean | string | JsonNumber | readonly Json[] | JsonObject;

export interface JsonError {
  readonly offset: number;
  readonly message: string;
}

export const isObject = (value: Json | undefined): value is JsonObject => value instanceof Map;
export const isArray = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);

/**
 * A struct field, found like Go's encoding/json does: by exact name, else ignoring case. Go's own clients rely on this:
 * gethclient sends a TraceConfig as `Tracer`, `TracerConfig`. Null when absent.
 */
export function fieldOf(object: JsonObject, name: string): Json {
  const exact = object.get(name);
  if (exact !== undefined) return exact;
  const folded = name.toLowerCase();
  let found: Json = null;
  for (const [key, value] of object)
    if (key.length === name.length && key.toLowerCase() === folded) found = value;
  return found;
}

/** Every empty object, as millions of them fit into one body. */
const NO_MEMBERS: JsonObject = new Map();
/** Deeper nesting is refused, so that a body full of brackets cannot exhaust the stack. */
const DEPTH_MAX = 512;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

/** The first byte of a text, quoted like encoding/json does. */
function goChar(text: string): string {
  const byte = encodeUtf8(text)[0] ?? 0;
  const char = String.fromCharCode(byte);
  if (char === '"') return `'"'`;
  if (char === "'" || char === '\\') return `'\\${char}'`;
  if (byte >= 32) return `'${char}'`;
  const name = Object.keys(ESCAPES).find((key) => ESCAPES[key] === char);
  return name === undefined ? `'\\x${byte.toString(16).padStart(2, '0')}'` : `'\\${name}'`;
}

class Failure extends Error {
  readonly offset: number;
  constructor(offset: number, message: string) {
    super(message);
    this.offset = offset;
  }
}

/** Strict RFC 8259 parser. Of repeated keys the last value counts, as in Go's and JavaScript's parsers. */
class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): Json {
    const value = this.#value(0);
    this.#space();
    if (this.#at !== this.#text.length) this.#unexpected('after top-level value');
    return value;
  }

  #fail(message: string): never {
    throw new Failure(this.#at, message);
  }

  /** Fails with the text of Go's encoding/json for an unexpected character: clients match on it. */
  #unexpected(where: string): never {
    const rest = this.#text.slice(this.#at, this.#at + 2);
    if (rest === '') this.#fail('unexpected end of JSON input');
    this.#fail(`invalid character ${goChar(rest)} ${where}`);
  }

  #space(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return;
      this.#at++;
    }
  }

  #value(depth: number): Json {
    if (depth > DEPTH_MAX) this.#fail('exceeded max depth');
    this.#space();
    const char = this.#text[this.#at];
    if (char === '"') return this.#string();
    if (char === '{') return this.#object(depth);
    if (char === '[') return this.#array(depth);
    if (char === 't') return this.#word('true', true);
    if (char === 'f') return this.#word('false', false);
    if (char === 'n') return this.#word('null', null);
    NUMBER.lastIndex = this.#at;
    const number = NUMBER.exec(this.#text);
    if (number === null) {
      if (char !== '-') this.#unexpected('looking for beginning of value');
      this.#at++;
      this.#unexpected('in numeric literal');
    }
    this.#at = NUMBER.lastIndex;
    return new JsonNumber(number[0]);
  }

  #word<T extends Json>(word: string, value: T): T {
    for (const letter of word) {
      if (this.#text[this.#at] !== letter) this.#unexpected(`in literal ${word} (expecting '${letter}')`);
      this.#at++;
    }
    return value;
  }

  #string(): string {
    const start = ++this.#at;
    let out = '';
    let from = start;
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code === 34) {
        const text = this.#text.slice(from, this.#at++);
        return out === '' ? text : out + text;
      }
      if (Number.isNaN(code) || code < 32) this.#unexpected('in string literal');
      if (code !== 92) {
        this.#at++;
        continue;
      }
      out += this.#text.slice(from, this.#at) + this.#escape();
      from = this.#at;
    }
  }

  #escape(): string {
    const char = this.#text[this.#at + 1];
    if (char === 'u') {
      const digits = this.#text.slice(this.#at + 2, this.#at + 6);
      const good = /^[0-9a-fA-F]*/.exec(digits)?.[0].length ?? 0;
      if (good < 4) {
        this.#at += 2 + good;
        this.#unexpected('in \\u hexadecimal character escape');
      }
      this.#at += 6;
      return String.fromCharCode(Number.parseInt(digits, 16));
    }
    const plain = char === undefined ? undefined : ESCAPES[char];
    this.#at++;
    if (plain === undefined) this.#unexpected('in string escape code');
    this.#at++;
    return plain;
  }

  #array(depth: number): readonly Json[] {
    this.#at++;
    const items: Json[] = [];
    this.#space();
    if (this.#text[this.#at] === ']') {
      this.#at++;
      return items;
    }
    for (;;) {
      items.push(this.#value(depth + 1));
      if (this.#separator(']', 'after array element')) return items;
    }
  }

  #object(depth: number): JsonObject {
    this.#at++;
    this.#space();
    if (this.#text[this.#at] === '}') {
      this.#at++;
      return NO_MEMBERS;
    }
    const members = new Map<string, Json>();
    for (;;) {
      this.#space();
      if (this.#text[this.#at] !== '"') this.#unexpected('looking for beginning of object key string');
      const key = this.#string();
      this.#space();
      if (this.#text[this.#at] !== ':') this.#unexpected('after object key');
      this.#at++;
      members.set(key, this.#value(depth + 1));
      if (this.#separator('}', 'after object key:value pair')) return members;
    }
  }

  /** True when the container closed, false after a comma. */
  #separator(close: string, where: string): boolean {
    this.#space();
    const char = this.#text[this.#at];
    if (char !== close && char !== ',') this.#unexpected(where);
    this.#at++;
    return char === close;
  }
}

/** Parses one JSON document; numbers keep their text. */
export function parseJson(text: string): Result<Json, JsonError> {
  try {
    return ok(new Reader(text).document());
  } catch (failure) {
    if (failure instanceof Failure) return err({ offset: failure.offset, message: failure.message });
    throw failure;
  }
}

/** Renders the value as JSON text; numbers keep their original text. */
export function renderJson(value: Json): string {
  if (value instanceof JsonNumber) return value.text;
  if (isArray(value)) return `[${value.map(renderJson).join(',')}]`;
  if (isObject(value)) {
    return `{${[...value].map(([key, member]) => `${JSON.stringify(key)}:${renderJson(member)}`).join(',')}}`;
  }
  return JSON.stringify(value);
}

const UNSAFE = /[<>&\u2028\u2029]/g;
const escapeUnsafe = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** JSON text like that of Go's encoding/json: compact, with HTML-sensitive characters escaped. */
export const goJson = (value: unknown): string => JSON.stringify(value).replace(UNSAFE, escapeUnsafe);
