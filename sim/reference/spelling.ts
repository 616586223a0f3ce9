import { type Bytes, hex, toHex } from '../../core/lib/bytes.ts';
import type { Name } from './state.ts';
import type { Keccak } from './trieRoot.ts';

const ALPHABET = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const GENERATORS = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];
const CHECKSUM_DIGITS = 6;

function checksumOf(digits: readonly number[]): number {
  let sum = 1;
  for (const digit of digits) {
    const top = sum >>> 25;
    sum = ((sum & 0x1ffffff) << 5) ^ digit;
    for (const [i, generator] of GENERATORS.entries()) if (((top >>> i) & 1) === 1) sum ^= generator;
  }
  return sum ^ 1;
}

/** BIP-173, for whole groups of five bytes. */
export function bech32(prefix: string, address: Bytes): string {
  const bits = [...address].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const digits = (bits.match(/.{5}/g) ?? []).map((five) => Number.parseInt(five, 2));
  const codes = [...prefix].map((char) => char.charCodeAt(0));
  const spread = [...codes.map((code) => code >> 5), 0, ...codes.map((code) => code & 31)];
  const sum = checksumOf([...spread, ...digits, ...new Array<number>(CHECKSUM_DIGITS).fill(0)]);
  const check = Array.from({ length: CHECKSUM_DIGITS }, (_, i) => (sum >>> (5 * (5 - i))) & 31);
  return `${prefix}1${[...digits, ...check].map((digit) => ALPHABET[digit]).join('')}`;
}

/** How a chain writes addresses and sums, written apart from the core. Results are cached. */
export class Spelling {
  readonly denom: string;
  readonly #hrp: string;
  readonly #keccak: Keccak;
  readonly #accounts = new Map<Name, string>();
  readonly #mixed = new Map<Name, string>();

  constructor({ hrp, denom }: { readonly hrp: string; readonly denom: string }, keccak: Keccak) {
    this.#hrp = hrp;
    this.denom = denom;
    this.#keccak = keccak;
  }

  account(name: Name): string {
    const text = this.#accounts.get(name) ?? bech32(this.#hrp, hex(name));
    this.#accounts.set(name, text);
    return text;
  }

  /** EIP-55. */
  mixed(name: Name): string {
    const text = this.#mixed.get(name) ?? this.#mixedCase(name);
    this.#mixed.set(name, text);
    return text;
  }

  #mixedCase(name: Name): string {
    const hash = toHex(this.#keccak(Uint8Array.from(name, (char) => char.charCodeAt(0))));
    return `0x${[...name].map((char, i) => ((hash[i] ?? '0') >= '8' ? char.toUpperCase() : char)).join('')}`;
  }

  sum(amount: bigint): string {
    return `${amount}${this.denom}`;
  }
}
