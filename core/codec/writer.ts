import { assert } from '../lib/assert.ts';
import { type Bytes, EMPTY } from '../lib/bytes.ts';
import { aligned, INLINE_BYTES_MAX, SHARED_BYTES } from '../lib/room.ts';
import { encodeUtf8 } from '../lib/utf8.ts';

const TWO_32 = 0x1_0000_0000;
/** Room that each message starts with. A longer one moves to the spare buffer and is copied out of it at the end. */
const SHORT_BYTES_MAX = 1024;
/** A spare buffer larger than this is not kept. */
const SPARE_BYTES_MAX = 1 << 20;

/** Appends to a growing buffer. Short messages stay where they were written, and the next one begins behind them. */
export class Writer {
  #shared: Bytes = new Uint8Array(SHARED_BYTES);
  /** How much of it finished messages occupy. */
  #taken = 0;
  #spare: Bytes = EMPTY;
  #buffer: Bytes = this.#shared;
  /** Bounds, in the buffer, of the message being written. */
  #start = 0;
  #length = 0;

  #reserve(count: number): void {
    if (this.#length + count > this.#buffer.length) this.#grow(count);
  }

  /** Moves the message to the spare buffer, which has room for it. */
  #grow(count: number): void {
    const size = this.#length - this.#start;
    const need = size + count;
    const from = this.#buffer;
    if (from === this.#spare || this.#spare.length < need) {
      this.#spare = new Uint8Array(Math.max(2 * size, need + SHORT_BYTES_MAX));
    }
    this.#buffer = this.#spare;
    this.#buffer.set(from.subarray(this.#start, this.#length));
    this.#start = 0;
    this.#length = size;
  }

  /** Unsigned, below 2^32: tags, lengths, counts. */
  uint32(value: number): void {
    this.#reserve(5);
    if (value < 128) {
      this.#buffer[this.#length++] = value;
      return;
    }
    let rest = value;
    while (rest > 127) {
      this.#buffer[this.#length++] = (rest & 127) | 128;
      rest >>>= 7;
    }
    this.#buffer[this.#length++] = rest;
  }

  /** A safe integer of either sign. Negative ones take ten bytes (64-bit two's complement). */
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

  /** A 64-bit varint given as two 32-bit words. */
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

  /** A safe integer as eight bytes, little endian. */
  sfixed64(value: number): void {
    this.#reserve(8);
    let low = value;
    let high = Math.floor(value / TWO_32);
    for (let i = 0; i < 4; i++) {
      this.#buffer[this.#length + i] = low;
      this.#buffer[this.#length + 4 + i] = high;
      low >>>= 8;
      high >>>= 8;
    }
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
        this.#length = this.#start + mark;
        this.raw(encodeUtf8(text));
        break;
      }
      this.#buffer[this.#length++] = charCode;
    }
    this.close(mark);
  }

  /** Starts a length-delimited piece. Pass the result to `close`. */
  open(): number {
    this.#reserve(1);
    return ++this.#length - this.#start;
  }

  close(mark: number): void {
    const size = this.#length - this.#start - mark;
    if (size < 128) {
      this.#buffer[this.#start + mark - 1] = size;
      return;
    }
    const extra = size < 0x4000 ? 1 : size < 0x20_0000 ? 2 : size < 0x1000_0000 ? 3 : 4;
    this.#reserve(extra);
    const from = this.#start + mark;
    this.#buffer.copyWithin(from + extra, from, this.#length);
    const end = this.#length + extra;
    this.#length = from - 1;
    this.uint32(size);
    this.#length = end;
  }

  /** Returns the message, as a window of the shared buffer where that is cheaper than a copy. Prepares the next. */
  finish(): Bytes {
    const buffer = this.#buffer;
    const size = this.#length - this.#start;
    const isWindow = buffer === this.#shared && size > INLINE_BYTES_MAX;
    const message = isWindow
      ? new Uint8Array(buffer.buffer, this.#start, size)
      : buffer.slice(this.#start, this.#length);
    if (isWindow) this.#taken = aligned(this.#length);
    this.#begin();
    return message;
  }

  #begin(): void {
    if (SHARED_BYTES - this.#taken < SHORT_BYTES_MAX) {
      this.#shared = new Uint8Array(SHARED_BYTES);
      this.#taken = 0;
    }
    if (this.#spare.length > SPARE_BYTES_MAX) this.#spare = EMPTY;
    this.#buffer = this.#shared;
    this.#start = this.#taken;
    this.#length = this.#taken;
  }
}

let scratch: Writer | undefined;

/** Runs `fill` on a reused writer and returns the bytes it wrote. */
export function written<T>(fill: (writer: Writer, value: T) => void, value: T): Bytes {
  const writer = scratch ?? new Writer();
  scratch = undefined;
  fill(writer, value);
  const bytes = writer.finish();
  scratch = writer;
  return bytes;
}

/** Size of an entry with `length` bytes in a repeated field with a number below 16: tag, length, content. */
export function entryBytes(length: number): number {
  let bytes = 2 + length;
  for (let rest = length; rest >= 128; rest = Math.floor(rest / 128)) bytes++;
  return bytes;
}
