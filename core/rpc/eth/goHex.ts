/** Reads JSON values like geth's hexutil and common packages, with the same error texts. */
import type { Bytes } from '../../lib/bytes.ts';
import { parseHex } from '../../lib/bytes.ts';
import { err, ok, type Result } from '../../lib/result.ts';
import { type Json, JsonNumber } from '../jsonText.ts';

export type Decoded<T> = Result<T, string>;

/** The field that Go's error texts name: `Go struct field TransactionArgs.from of type …`. */
export type Place = string | undefined;

const HEX_DIGITS = /^[0-9a-fA-F]*$/;

/** `json: cannot unmarshal X into Go value of type T`. */
export const goTypeError = (what: string, type: string, place: Place): string =>
  `json: cannot unmarshal ${what} into Go ${place === undefined ? 'value' : `struct field ${place}`} of type ${type}`;

/** The name of a JSON value's kind in the errors of Go's decoder. */
export function goKind(value: Json): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return 'bool';
  if (value instanceof JsonNumber) return 'number';
  return Array.isArray(value) ? 'array' : 'object';
}

const prefixed = (text: string): boolean => text.startsWith('0x') || text.startsWith('0X');

/** What is wrong with a text that should be `0x` and an even number of digits; undefined if valid. */
function dataFault(text: string): string | undefined {
  if (text === '') return undefined;
  if (!prefixed(text)) return 'hex string without 0x prefix';
  if (text.length % 2 !== 0) return 'hex string of odd length';
  return HEX_DIGITS.test(text.slice(2)) ? undefined : 'invalid hex string';
}

/** What is wrong with the text of a quantity; undefined if valid. */
export function quantityFault(text: string, bits: 64 | 256): string | undefined {
  if (text === '') return 'empty hex string';
  if (!prefixed(text)) return 'hex string without 0x prefix';
  const digits = text.slice(2);
  if (digits === '') return 'hex string "0x"';
  if (digits.length > 1 && digits.startsWith('0')) return 'hex number with leading zero digits';
  if (digits.length > bits / 4) return `hex number > ${bits} bits`;
  return HEX_DIGITS.test(digits) ? undefined : 'invalid hex string';
}

/** hexutil.Bytes. */
export function readBytes(value: Json, place?: Place): Decoded<Bytes> {
  if (typeof value !== 'string') return err(goTypeError('non-string', 'hexutil.Bytes', place));
  const fault = dataFault(value);
  if (fault !== undefined) return err(goTypeError(fault, 'hexutil.Bytes', place));
  const parsed = parseHex(value);
  return parsed.ok ? parsed : err(goTypeError('invalid hex string', 'hexutil.Bytes', place));
}

/** common.Address (20 bytes) or common.Hash (32 bytes). Like geth, it checks the length before the digits. */
function readFixed(value: Json, size: number, type: string, place: Place): Decoded<Bytes> {
  if (typeof value !== 'string') return err(goTypeError('non-string', type, place));
  const fault = dataFault(value);
  if (fault !== undefined && fault !== 'invalid hex string') return err(goTypeError(fault, type, place));
  const length = Math.max(0, value.length - 2);
  if (length !== size * 2) return err(`hex string has length ${length}, want ${size * 2} for ${type}`);
  const parsed = parseHex(value);
  return parsed.ok ? parsed : err(goTypeError('invalid hex string', type, place));
}

export const readAddress = (value: Json, place?: Place): Decoded<Bytes> =>
  readFixed(value, 20, 'common.Address', place);
export const readHash = (value: Json, place?: Place): Decoded<Bytes> =>
  readFixed(value, 32, 'common.Hash', place);

/** Reads hexutil.Big (256 bits), hexutil.Uint64, or another `type` with that many bits. */
export function readQuantity(
  value: Json,
  bits: 64 | 256,
  place?: Place,
  type = bits === 64 ? 'hexutil.Uint64' : '*hexutil.Big',
): Decoded<bigint> {
  if (typeof value !== 'string') return err(goTypeError('non-string', type, place));
  // hexutil's checkNumberText accepts an empty text, unlike geth's function for block numbers.
  if (value === '') return ok(0n);
  const fault = quantityFault(value, bits);
  return fault === undefined ? ok(BigInt(value)) : err(goTypeError(fault, type, place));
}

/** null counts as false, Go's default. */
export function readBool(value: Json, place?: Place): Decoded<boolean> {
  if (value === null) return ok(false);
  return typeof value === 'boolean' ? ok(value) : err(goTypeError(goKind(value), 'bool', place));
}

/** Shortest hex of a quantity; zero is `0x0`. */
export const quantity = (value: bigint | number): string => `0x${value.toString(16)}`;
