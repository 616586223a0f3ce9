/** EIP-712 typed data from wallets: JSON with types, primaryType, domain and message. */

import { bigintToFixed } from '../../app/evm/numbers.ts';
import type { CryptoSuite } from '../../crypto/suite.ts';
import { type Bytes, compareText, concat, joined, parseHex } from '../../lib/bytes.ts';
import { encodeUtf8 } from '../../lib/utf8.ts';
import { isArray, isObject, type Json, JsonNumber, type JsonObject } from '../jsonText.ts';
import { invalidParams } from '../rpcError.ts';

interface Field {
  readonly name: string;
  readonly type: string;
}

export interface TypedData {
  readonly types: ReadonlyMap<string, readonly Field[]>;
  readonly primaryType: string;
  readonly domain: JsonObject;
  readonly message: JsonObject;
}

const TYPES_MAX = 256;
const FIELDS_MAX = 256;
/** Maximum length of a field's name and of its type. */
const NAME_LENGTH_MAX = 256;
/** Maximum nesting of structs and arrays. */
const DEPTH_MAX = 32;
/** Maximum values in all structs and arrays together; no wallet shows its user as many. */
const VALUES_MAX = 65_536;

const fault = (text: string): Error => invalidParams(`invalid argument 1: ${text}`);

function readFields(value: Json): readonly Field[] {
  if (!isArray(value) || value.length > FIELDS_MAX) throw fault('a type is a list of fields');
  return value.map((entry) => {
    const name = isObject(entry) ? entry.get('name') : undefined;
    const type = isObject(entry) ? entry.get('type') : undefined;
    if (typeof name !== 'string' || typeof type !== 'string') throw fault('a field has a name and a type');
    if (Math.max(name.length, type.length) > NAME_LENGTH_MAX)
      throw fault(`the name or type of a field is longer than ${NAME_LENGTH_MAX}`);
    return { name, type };
  });
}

/** Throws RpcError. */
export function readTypedData(value: Json): TypedData {
  if (!isObject(value)) throw fault('typed data is an object');
  const types = value.get('types');
  const primaryType = value.get('primaryType');
  const domain = value.get('domain');
  const message = value.get('message');
  if (!isObject(types) || types.size > TYPES_MAX) throw fault('types is an object');
  if (typeof primaryType !== 'string') throw fault('primaryType is a string');
  if (!isObject(domain) || !isObject(message)) throw fault('domain and message are objects');
  const read = new Map<string, readonly Field[]>();
  for (const [name, fields] of types) read.set(name, readFields(fields));
  for (const needed of ['EIP712Domain', primaryType])
    if (!read.has(needed)) throw fault(`type ${JSON.stringify(needed)} is not defined`);
  return { types: read, primaryType, domain, message };
}

const baseOf = (type: string): string => type.replace(/(\[[0-9]*\])+$/, '');

/**
 * EIP-712 encodeType: `Mail(Person from,string contents)Person(string name)`, sorted by name after the primary type.
 */
function encodeType(primary: string, types: TypedData['types']): string {
  const found = new Set<string>();
  const waiting = [primary];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (found.has(name)) continue;
    found.add(name);
    for (const { type } of types.get(name) ?? []) if (types.has(baseOf(type))) waiting.push(baseOf(type));
  }
  found.delete(primary);
  return [primary, ...[...found].sort(compareText)]
    .map(
      (name) => `${name}(${(types.get(name) ?? []).map((field) => `${field.type} ${field.name}`).join(',')})`,
    )
    .join('');
}

function integerOf(value: Json, type: string): bigint {
  const text = value instanceof JsonNumber ? value.text : typeof value === 'string' ? value : '';
  if (!/^(-?[0-9]{1,78}|0[xX][0-9a-fA-F]{1,64})$/.test(text)) throw fault(`${type} wants an integer`);
  const number = BigInt(text);
  const [, sign, digits] = /^(u?)int([0-9]*)$/.exec(type) ?? [];
  const bits = digits === '' ? 256 : Number(digits);
  const [low, high] =
    sign === 'u' ? [0n, 1n << BigInt(bits)] : [-(1n << BigInt(bits - 1)), 1n << BigInt(bits - 1)];
  if (number < low || number >= high) throw fault(`integer out of range of ${type}`);
  return BigInt.asUintN(256, number);
}

/** Reads hex. Only an address may lack 0x, as in Go: for other texts without it, wallets would sign the characters. */
function bytesOf(value: Json, type: string): Bytes {
  const isHex = typeof value === 'string' && (type === 'address' || /^0x/i.test(value));
  const parsed = isHex ? parseHex(value) : undefined;
  if (parsed?.ok !== true) throw fault(`${type} wants hex`);
  return parsed.value;
}

class Encoder {
  readonly #types: TypedData['types'];
  readonly #keccak: (message: Bytes) => Bytes;
  /** Cached per type: a request may contain very many structs. */
  readonly #typeHashes = new Map<string, Bytes>();
  #values = 0;

  constructor(types: TypedData['types'], suite: Pick<CryptoSuite, 'keccak256'>) {
    this.#types = types;
    this.#keccak = (message) => suite.keccak256(message);
  }

  struct(type: string, value: Json, depth: number): Bytes {
    if (depth > DEPTH_MAX) throw fault('typed data too deep');
    if (!isObject(value)) throw fault(`${type} wants an object`);
    const fields = this.#types.get(type) ?? [];
    const parts = fields.map((field) => this.#value(field.type, value.get(field.name) ?? null, depth));
    return this.#keccak(joined([this.#typeHash(type), ...parts]));
  }

  #typeHash(type: string): Bytes {
    const known = this.#typeHashes.get(type);
    if (known !== undefined) return known;
    const hash = this.#keccak(encodeUtf8(encodeType(type, this.#types)));
    this.#typeHashes.set(type, hash);
    return hash;
  }

  #value(type: string, value: Json, depth: number): Bytes {
    if (++this.#values > VALUES_MAX) throw fault(`more than ${VALUES_MAX} values`);
    const array = /^(.*)\[([0-9]*)\]$/.exec(type);
    if (array !== null) return this.#array(array[1] as string, array[2] as string, value, depth);
    if (this.#types.has(type))
      return value === null ? new Uint8Array(32) : this.struct(type, value, depth + 1);
    return this.#atom(type, value);
  }

  #array(item: string, size: string, value: Json, depth: number): Bytes {
    if (depth > DEPTH_MAX) throw fault('typed data too deep');
    if (!isArray(value) || (size !== '' && value.length !== Number(size)))
      throw fault(`${item}[${size}] wants an array`);
    return this.#keccak(joined(value.map((entry) => this.#value(item, entry, depth + 1))));
  }

  #atom(type: string, value: Json): Bytes {
    if (type === 'string') {
      if (typeof value !== 'string') throw fault('string wants a string');
      return this.#keccak(encodeUtf8(value));
    }
    if (type === 'bytes') return this.#keccak(bytesOf(value, type));
    if (type === 'bool') {
      if (typeof value !== 'boolean') throw fault('bool wants a boolean');
      return bigintToFixed(value ? 1n : 0n, 32);
    }
    const size = type === 'address' ? 20 : Number(/^bytes([0-9]+)$/.exec(type)?.[1] ?? 0);
    if (size > 0) {
      const bytes = bytesOf(value, type);
      if (bytes.length !== size || size > 32) throw fault(`${type} wants ${size} bytes`);
      const out = new Uint8Array(32);
      out.set(bytes, type === 'address' ? 12 : 0);
      return out;
    }
    if (/^u?int([0-9]{1,3})?$/.test(type)) return bigintToFixed(integerOf(value, type), 32);
    throw fault(`unknown type ${JSON.stringify(type)}`);
  }
}

/** keccak256(0x1901 ‖ domain ‖ message). Throws RpcError if a value does not fit its type. */
export function typedDataHash(data: TypedData, suite: Pick<CryptoSuite, 'keccak256'>): Bytes {
  const encoder = new Encoder(data.types, suite);
  const domain = encoder.struct('EIP712Domain', data.domain, 0);
  const isDomainOnly = data.primaryType === 'EIP712Domain';
  const message = isDomainOnly ? new Uint8Array(0) : encoder.struct(data.primaryType, data.message, 0);
  return suite.keccak256(concat(Uint8Array.of(0x19, 0x01), domain, message));
}
