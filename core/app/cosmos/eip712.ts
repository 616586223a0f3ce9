/** The amino document as EIP-712 typed data, so that wallets which only know Ethereum can sign it. */
import { type Bytes, compareText, concat, joined } from '../../lib/bytes.ts';
import { encodeUtf8 } from '../../lib/utf8.ts';
import { bigintToFixed } from '../evm/numbers.ts';
import { type AminoJson, type AminoObject, isAminoObject } from './aminoJson.ts';

export interface TypedField {
  readonly name: string;
  readonly type: string;
}
export type Types = Readonly<Record<string, readonly TypedField[]>>;

export interface TypedData {
  readonly types: Types;
  readonly primaryType: 'Tx';
  readonly domain: AminoObject;
  readonly message: AminoObject;
}

type Keccak = (message: Bytes) => Bytes;

const fields = (...pairs: readonly (readonly [string, string])[]): readonly TypedField[] =>
  pairs.map(([name, type]) => ({ name, type }));

const BASE_TYPES: Types = {
  EIP712Domain: fields(
    ['name', 'string'],
    ['version', 'string'],
    ['chainId', 'uint256'],
    ['verifyingContract', 'string'],
    ['salt', 'string'],
  ),
  Fee: fields(['amount', 'Coin[]'], ['gas', 'string']),
  Coin: fields(['denom', 'string'], ['amount', 'string']),
};

const TX_FIELDS = fields(
  ['account_number', 'string'],
  ['chain_id', 'string'],
  ['fee', 'Fee'],
  ['memo', 'string'],
  ['sequence', 'string'],
);

const titled = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** Type name of a nested object: `amount` within `value` → TypeValueAmount. */
const typeName = (path: readonly string[]): string =>
  `Type${path.map((part) => part.split('_').map(titled).join('')).join('')}`;

/**
 * Collects the types of the messages. Equal types are shared; different types with the same name get different numbers.
 */
class TypeBook {
  readonly types: Record<string, readonly TypedField[]> = { ...BASE_TYPES };

  add(object: AminoObject, rootType: string, path: readonly string[] = []): string {
    const list: TypedField[] = [];
    for (const name of Object.keys(object).sort((a, b) => compareText(b, a)))
      list.push({ name, type: this.#typeOf(object[name] as AminoJson, rootType, [...path, name]) });
    const base = path.length === 0 ? rootType : typeName(path);
    for (let index = 0; ; index++) {
      const name = `${base}${index}`;
      const known = this.types[name];
      if (known === undefined) this.types[name] = list;
      if (known === undefined || sameFields(known, list)) return name;
    }
  }

  #typeOf(value: AminoJson, rootType: string, path: readonly string[]): string {
    if (typeof value === 'string') return 'string';
    if (typeof value === 'boolean') return 'bool';
    if (typeof value === 'number') return 'int64';
    if (isAminoObject(value)) return this.add(value, rootType, path);
    const [first] = value;
    return first === undefined ? 'string[]' : `${this.#typeOf(first, rootType, path)}[]`;
  }
}

const sameFields = (a: readonly TypedField[], b: readonly TypedField[]): boolean =>
  a.length === b.length && a.every(({ name, type }, i) => name === b[i]?.name && type === b[i]?.type);

/** Undefined for a document that the typed form cannot express: one with a timeout height, fee payer or fee granter. */
export function typedDataOf(doc: AminoObject, evmChainId: bigint): TypedData | undefined {
  const fee = doc.fee as AminoObject;
  if (doc.timeout_height !== undefined || fee.payer !== undefined || fee.granter !== undefined)
    return undefined;
  const { msgs, ...rest } = doc;
  const book = new TypeBook();
  const message: Record<string, AminoJson> = { ...rest };
  const messageFields: TypedField[] = [];
  for (const [i, msg] of (msgs as readonly AminoObject[]).entries()) {
    const name = `msg${i}`;
    const type = String(msg.type).split('/').at(-1) ?? '';
    messageFields.push({ name, type: book.add(msg, `Type${type}`) });
    message[name] = msg;
  }
  const domain = {
    name: 'Cosmos Web3',
    version: '1.0.0',
    chainId: evmChainId.toString(),
    verifyingContract: 'cosmos',
    salt: '0',
  };
  return {
    types: { ...book.types, Tx: [...TX_FIELDS, ...messageFields] },
    primaryType: 'Tx',
    domain,
    message,
  };
}

const baseOf = (type: string): string => type.replace(/(\[\])+$/, '');

/**
 * EIP-712 encodeType: `Tx(string memo,…)Coin(…)…`, the primary type and then, sorted by name, all types it refers to.
 */
function encodeType(primary: string, types: Types): string {
  const found = new Set<string>();
  const visit = (name: string): void => {
    if (found.has(name) || types[name] === undefined) return;
    found.add(name);
    for (const { type } of types[name] ?? []) visit(baseOf(type));
  };
  visit(primary);
  found.delete(primary);
  return [primary, ...[...found].sort(compareText)]
    .map((name) => `${name}(${(types[name] ?? []).map(({ name: key, type }) => `${type} ${key}`).join(',')})`)
    .join('');
}

/** Hashes values of these types. Hashes of types and texts are cached: thousands of coins mostly share one denom. */
class TypedHasher {
  readonly #types: Types;
  readonly #keccak: Keccak;
  readonly #ofTypes = new Map<string, Bytes>();
  readonly #ofTexts = new Map<string, Bytes>();

  constructor(types: Types, keccak: Keccak) {
    this.#types = types;
    this.#keccak = keccak;
  }

  struct(type: string, value: AminoObject): Bytes {
    const values = (this.#types[type] ?? []).map((field) =>
      this.#value(field.type, value[field.name] as AminoJson),
    );
    return this.#keccak(joined([this.#typeHash(type), ...values]));
  }

  #value(type: string, value: AminoJson): Bytes {
    if (type.endsWith('[]')) {
      const item = type.slice(0, -2);
      return this.#keccak(joined((value as readonly AminoJson[]).map((one) => this.#value(item, one))));
    }
    if (this.#types[type] !== undefined) return this.struct(type, value as AminoObject);
    if (type === 'string') return this.#textHash(value as string);
    if (type === 'bool') return bigintToFixed(value === true ? 1n : 0n, 32);
    return bigintToFixed(BigInt.asUintN(256, BigInt(value as string | number)), 32);
  }

  #typeHash(type: string): Bytes {
    const known = this.#ofTypes.get(type);
    if (known !== undefined) return known;
    const hash = this.#keccak(encodeUtf8(encodeType(type, this.#types)));
    this.#ofTypes.set(type, hash);
    return hash;
  }

  #textHash(text: string): Bytes {
    const known = this.#ofTexts.get(text);
    if (known !== undefined) return known;
    const hash = this.#keccak(encodeUtf8(text));
    this.#ofTexts.set(text, hash);
    return hash;
  }
}

export const hashStruct = (type: string, value: AminoObject, types: Types, keccak: Keccak): Bytes =>
  new TypedHasher(types, keccak).struct(type, value);

/** The signed digest: keccak256(0x1901 ‖ domain ‖ message). */
export const typedDataDigest = ({ types, primaryType, domain, message }: TypedData, keccak: Keccak): Bytes =>
  keccak(
    concat(
      new Uint8Array([0x19, 0x01]),
      hashStruct('EIP712Domain', domain, types, keccak),
      hashStruct(primaryType, message, types, keccak),
    ),
  );
