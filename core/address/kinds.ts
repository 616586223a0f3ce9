/** The forms of one 20-byte address: account, validator operator and consensus (all Bech32), and hex. */
import { type Bytes, parseHex, toUpperHex } from '../lib/bytes.ts';
import { err, ok, type Result } from '../lib/result.ts';
import type { Address } from '../types/ids.ts';
import { type AddressError, decodeBech32, encodeBech32, isHrp } from './bech32.ts';
import { toEip55 } from './eip55.ts';

export type AddressKind = 'acc' | 'val' | 'cons';
const ADDRESS_KINDS: readonly AddressKind[] = ['acc', 'val', 'cons'];
export const ADDRESS_BYTES = 20;

const SUFFIX = { acc: '', val: 'valoper', cons: 'valcons' } as const;

/** The prefix of this kind of address on a chain with the base prefix `hrpBase`. */
export const hrpOf = (kind: AddressKind, hrpBase: string): string => hrpBase + SUFFIX[kind];

/** Whether addresses of every kind can be written with this base prefix. */
export const isHrpBase = (hrpBase: string): boolean =>
  ADDRESS_KINDS.every((kind) => isHrp(hrpOf(kind, hrpBase)));

export const formatAddress = (kind: AddressKind, hrpBase: string, address: Bytes): string =>
  encodeBech32(hrpOf(kind, hrpBase), address);

export interface ParsedAddress {
  readonly kind: AddressKind | 'hex';
  readonly address: Address;
}

const wrongLength = (given: number): { readonly ok: false; readonly error: AddressError } =>
  err({
    code: 'wrong-length',
    message: `address of ${given} bytes, expected ${ADDRESS_BYTES}`,
    given,
    expected: ADDRESS_BYTES,
  });

/** Parses a Bech32 address of one kind with 20 bytes. */
export function parseAddress(
  kind: AddressKind,
  text: string,
  hrpBase: string,
): Result<Address, AddressError> {
  const decoded = decodeBech32(text);
  if (!decoded.ok) return decoded;
  const { hrp, bytes } = decoded.value;
  const expected = hrpOf(kind, hrpBase);
  if (hrp !== expected) {
    const message = `address with prefix "${hrp}", expected "${expected}"`;
    return err({ code: 'wrong-prefix', message, given: hrp, expected: [expected] });
  }
  return bytes.length === ADDRESS_BYTES ? ok(bytes) : wrongLength(bytes.length);
}

/** Hex with or without `0x`. In mixed case it must have the correct EIP-55 checksum. */
export function parseHexAddress(text: string): Result<Address, AddressError> {
  const parsed = parseHex(text);
  if (!parsed.ok) return err({ code: 'malformed', message: parsed.error.message });
  if (parsed.value.length !== ADDRESS_BYTES) return wrongLength(parsed.value.length);
  const digits = text.slice(-2 * ADDRESS_BYTES);
  if (digits === digits.toLowerCase() || digits === toUpperHex(parsed.value)) return ok(parsed.value);
  const expected = toEip55(parsed.value);
  if (`0x${digits}` === expected) return ok(parsed.value);
  const message = `EIP-55 checksum of ${text} is wrong, expected ${expected}`;
  return err({ code: 'bad-checksum', message, given: text, expected });
}

/** Parses any text form of an address on this chain. */
export function parseAnyAddress(text: string, hrpBase: string): Result<ParsedAddress, AddressError> {
  if (/^(0[xX])?[0-9a-fA-F]*$/.test(text)) {
    const parsed = parseHexAddress(text);
    return parsed.ok ? ok({ kind: 'hex', address: parsed.value }) : parsed;
  }
  const decoded = decodeBech32(text);
  if (!decoded.ok) return decoded;
  const { hrp, bytes } = decoded.value;
  const kind = ADDRESS_KINDS.find((one) => hrpOf(one, hrpBase) === hrp);
  if (kind === undefined) {
    const expected = ADDRESS_KINDS.map((one) => hrpOf(one, hrpBase));
    const message = `address with prefix "${hrp}", expected one of ${expected.map((one) => `"${one}"`).join(', ')}`;
    return err({ code: 'wrong-prefix', message, given: hrp, expected });
  }
  return bytes.length === ADDRESS_BYTES ? ok({ kind, address: bytes }) : wrongLength(bytes.length);
}
