import { assert } from '../lib/assert.ts';
import type { Bytes } from '../lib/bytes.ts';
import { encodeUtf8 } from '../lib/utf8.ts';

const TWO_32 = 0x1_0000_0000;
/** A scratch buffer that grew beyond this is given back. */
const SCRATCH_BYTES_MAX = 1 << 20;

/** Appends to a growing buffer; `finish` answers with an exact copy. */
export class Writer {
  #buffer = new Uint8Array(512);
  #view = new DataView(this.#buffer.buffer);
  #length = 0;

  #reserve(count: number): void {
    const need = this.#length + count;
    if (need <= this.#buffer.length) return;
    const grown = new Uint8Array(need > this.#buffer.length * 2 ? need : this.#buffer.length * 2);
    grown.set(this.#buffer.subarray(0, this.#length));
    this.#buffer = grown;
    this.#view = new DataView(grown.buffer);
  }

  get length(): number {
    return this.#length;
  }

  get capacity(): number {
    return this.#buffer.length;
  }

  reset(): void {
    this.#length = 0;
  }

  /** Unsigned, below 2^32: tags, lengths, counts. */
  uint32(value: number): void {
    this.#reserve(5);
    let rest = value;
    while (rest > 127) {
      this.#buffer[this.#length++] = (rest & 127) | 128;
      rest >>>= 7;
    }
    this.#buffer[this.#length++] = rest;
  }

  /** A safe integer of either sign; negative ones take ten bytes (two's complement, 64 bit). */
  int64(value: number): void {
    if (value >>> 0 === value) this.uint32(value);
    else {
      assert(Number.isSafeInteger(value), 'integer is not safe');
      this.words(value >>> 0, Math.floor(value / TWO_32) >>> 0);
    }
  }

  /** int64 or uint64 as bigint. */
  big(value: bigint): void {
    assert(value >= -(2n ** 63n) && value < 2n ** 64n, 'integer beyond 64 bits');
    this.words(Number(BigInt.asUintN(32, value)), Number(BigInt.asUintN(32, value >> 32n)));
  }

  /** A 64-bit varint of two 32-bit words. */
  words(lowWord: number, highWord: number): void {
    this.#reserve(10);
    let low = lowWord;
    let high = highWord;
    while (high !== 0 || low > 127) {
      this.#buffer[this.#length++] = (low & 127) | 128;
      low = ((low >>> 7) | (high << 25)) >>> 0;
      high >>>= 7;
    }
    this.#buffer[this.#length++] = low;
  }

  /** Eight bytes, little endian; a safe integer. */
  sfixed64(value: number): void {
    this.#reserve(8);
    this.#view.setUint32(this.#length, value >>> 0, true);
    this.#view.setUint32(this.#length + 4, Math.floor(value / TWO_32) >>> 0, true);
    this.#length += 8;
  }

  raw(bytes: Bytes): void {
    this.#reserve(bytes.length);
    this.#buffer.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** Length and content. */
  bytes(bytes: Bytes): void {
    this.uint32(bytes.length);
    this.raw(bytes);
  }

  string(text: string): void {
    const mark = this.open();
    this.#reserve(text.length);
    for (let i = 0; i < text.length; i++) {
      const charCode = text.charCodeAt(i);
      if (charCode > 127) {
        this.#length = mark;
        this.raw(encodeUtf8(text));
        break;
      }
      this.#buffer[this.#length++] = charCode;
    }
    this.close(mark);
  }

  /** Starts a length-delimited piece; pass the answer to `close`. */
  open(): number {
    this.#reserve(1);
    return ++this.#length;
  }

  close(mark: number): void {
    const size = this.#length - mark;
    if (size < 128) {
      this.#buffer[mark - 1] = size;
      return;
    }
    const extra = size < 0x4000 ? 1 : size < 0x20_0000 ? 2 : size < 0x1000_0000 ? 3 : 4;
    this.#reserve(extra);
    this.#buffer.copyWithin(mark + extra, mark, this.#length);
    const end = this.#length + extra;
    this.#length = mark - 1;
    this.uint32(size);
    this.#length = end;
  }

  finish(): Bytes {
    return this.#buffer.slice(0, this.#length);
  }
}

let scratch: Writer | undefined;

/** Runs `fill` on a reused writer and answers with its bytes. */
export function written<T>(fill: (writer: Writer, value: T) => void, value: T): Bytes {
  const writer = scratch ?? new Writer();
  scratch = undefined;
  writer.reset();
  fill(writer, value);
  const bytes = writer.finish();
  if (writer.capacity <= SCRATCH_BYTES_MAX) scratch = writer;
  return bytes;
}
