/** The polynomial, its highest power in the lowest bit, as in all words here. */
const POLYNOMIAL = 0x82f63b78;
const ONE = 0x8000_0000;

const TABLE = new Uint32Array(256);
for (let i = 0; i < 256; i++) {
  let value = i;
  for (let bit = 0; bit < 8; bit++) value = (value & 1) === 1 ? (value >>> 1) ^ POLYNOMIAL : value >>> 1;
  TABLE[i] = value >>> 0;
}

/** The register after bytes[start, end). */
function advanced(register: number, bytes: Uint8Array, start: number, end: number): number {
  let next = register;
  for (let i = start; i < end; i++)
    next = (TABLE[(next ^ (bytes[i] as number)) & 0xff] as number) ^ (next >>> 8);
  return next;
}

/** CRC-32C (Castagnoli, RFC 3720 B.4) of bytes[start, end). */
export const crc32c = (bytes: Uint8Array, start = 0, end: number = bytes.length): number =>
  ~advanced(~0, bytes, start, end) >>> 0;

/** The product of two polynomials, modulo that of the CRC. */
function product(a: number, b: number): number {
  let sum = 0;
  let shifted = b;
  for (let rest = a; rest !== 0; rest <<= 1) {
    if (rest < 0) sum ^= shifted;
    shifted = (shifted & 1) === 1 ? (shifted >>> 1) ^ POLYNOMIAL : shifted >>> 1;
  }
  return sum;
}

/** x^8, x^16, x^32 …: what 1, 2, 4 … more bytes multiply the register by. */
const POWERS: number[] = [ONE >>> 8];
while (POWERS.length < 32) POWERS.push(product(POWERS.at(-1) as number, POWERS.at(-1) as number));

function powerOf(length: number): number {
  let power = ONE;
  for (let rest = length, i = 0; rest > 0; rest >>>= 1, i++) {
    if ((rest & 1) === 1) power = product(POWERS[i] as number, power);
  }
  return power;
}

/** Bytes between two registers that are kept. */
const STEP_BYTES = 64;

/**
 * CRCs of any ranges of the same bytes: one pass at first, and then so much work for each range, whatever its length. A
 * CRC is linear: the register at the end of a range is that of the whole up to there, less what came before the range.
 */
export class RangeCrc {
  readonly #bytes: Uint8Array;
  /** Registers that began with zero, at every so many bytes. */
  readonly #registers: Uint32Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#registers = new Uint32Array(Math.floor(bytes.length / STEP_BYTES) + 1);
    for (let i = 1; i < this.#registers.length; i++) {
      const from = (i - 1) * STEP_BYTES;
      this.#registers[i] = advanced(this.#registers[i - 1] as number, bytes, from, from + STEP_BYTES);
    }
  }

  /** CRC-32C of bytes[start, end). */
  of(start: number, end: number): number {
    const before = product(~this.#registerAt(start), powerOf(end - start));
    return ~(this.#registerAt(end) ^ before) >>> 0;
  }

  #registerAt(offset: number): number {
    const i = Math.floor(offset / STEP_BYTES);
    return advanced(this.#registers[i] as number, this.#bytes, i * STEP_BYTES, offset);
  }
}
