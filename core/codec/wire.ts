/**
 * Protobuf's wire format, both ways, with canonical rules on reading.
 *
 * Our own and not protobufjs': a general reader accepts varints that are not minimal, hands out windows into the
 * input and rounds 64-bit numbers, and in Node its bytes are Buffers whose `slice` does not copy. protobufjs is the
 * independent judge in the tests.
 */
import { assert } from '../lib/assert.ts';
import { type Bytes, EMPTY } from '../lib/bytes.ts';
import { decodeUtf8, encodeUtf8 } from '../lib/utf8.ts';

/** Outside bytes that are not a canonical encoding. `field` is `Message.field_name`. */
export interface CodecError {
  readonly code: 'codec';
  readonly message: string;
  readonly field: string;
  /** The bound that was passed, where there is one. */
  readonly limit?: number;
}

export const WIRE = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

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
    if (value >= 0 && value < TWO_32) this.uint32(value);
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

/**
 * Reads outside bytes. The first failure sticks: it empties the input, later reads answer with zeros, and whoever
 * started the reading looks at `error` at the end. Nothing throws, and everything handed out is a copy.
 */
export class Reader {
  readonly #bytes: Bytes;
  /** Position of the next byte. */
  at = 0;
  /** End of the message being read. */
  end: number;
  error: CodecError | undefined;
  #low = 0;
  #high = 0;

  constructor(bytes: Bytes) {
    this.#bytes = bytes;
    this.end = bytes.length;
  }

  fail(field: string, problem: string, limit?: number): void {
    if (this.error !== undefined) return;
    const message = `${field}: ${problem}`;
    this.error = { code: 'codec', message, field, ...(limit === undefined ? {} : { limit }) };
    this.end = 0;
    this.at = 0;
  }

  /** Reads a varint of at most 64 bits into the two words; false when it failed. */
  #varint(field: string): boolean {
    const bytes = this.#bytes;
    let low = 0;
    let high = 0;
    for (let i = 0; i < 10; i++) {
      if (this.at >= this.end) break;
      const byte = bytes[this.at++] as number;
      const bits = byte & 127;
      if (i < 4) low |= bits << (7 * i);
      else if (i === 4) {
        low |= bits << 28;
        high = bits >>> 4;
      } else high |= bits << (7 * i - 32);
      if (byte > 127) continue;
      if (i > 0 && byte === 0) return this.#bad(field, 'varint is not minimal');
      if (i === 9 && byte > 1) return this.#bad(field, 'varint beyond 64 bits');
      this.#low = low >>> 0;
      this.#high = high >>> 0;
      return true;
    }
    return this.#bad(field, this.at >= this.end ? 'ends within a varint' : 'varint beyond 64 bits');
  }

  #bad(field: string, problem: string): boolean {
    this.fail(field, problem);
    return false;
  }

  /** The next tag without consuming it, 0 at the end of the message. */
  peekTag(message: string): number {
    if (this.at >= this.end) return 0;
    const byte = this.#bytes[this.at] as number;
    if (byte < 128 && byte > 7) return byte;
    const start = this.at;
    const tag = this.uint32(message);
    if (this.error !== undefined) return 0;
    this.at = start;
    if (tag < 8) this.fail(message, 'field number 0');
    return this.error === undefined ? tag : 0;
  }

  uint32(field: string): number {
    if (this.at < this.end) {
      const byte = this.#bytes[this.at] as number;
      if (byte < 128) {
        this.at++;
        return byte;
      }
    }
    if (!this.#varint(field)) return 0;
    if (this.#high !== 0) this.fail(field, 'number beyond 32 bits', TWO_32 - 1);
    return this.#low;
  }

  int32(field: string): number {
    if (!this.#varint(field)) return 0;
    const value = this.#low | 0;
    // A sign-extended 64-bit number or nothing: Go would silently cut anything else.
    if (this.#high !== (value < 0 ? TWO_32 - 1 : 0)) this.fail(field, 'number beyond 32 bits', 2 ** 31 - 1);
    return value;
  }

  /** int64 that must be a safe integer. */
  int64(field: string): number {
    if (!this.#varint(field)) return 0;
    const value = (this.#high | 0) * TWO_32 + this.#low;
    if (!Number.isSafeInteger(value))
      this.fail(field, 'number is not a safe integer', Number.MAX_SAFE_INTEGER);
    return value;
  }

  /** uint64 that must be a safe integer. */
  uint64(field: string): number {
    if (!this.#varint(field)) return 0;
    const value = this.#high * TWO_32 + this.#low;
    if (!Number.isSafeInteger(value))
      this.fail(field, 'number is not a safe integer', Number.MAX_SAFE_INTEGER);
    return value;
  }

  int64Big(field: string): bigint {
    if (!this.#varint(field)) return 0n;
    const high = this.#high | 0;
    const value = high * TWO_32 + this.#low;
    return Number.isSafeInteger(value) ? BigInt(value) : (BigInt(high) << 32n) | BigInt(this.#low);
  }

  uint64Big(field: string): bigint {
    if (!this.#varint(field)) return 0n;
    return this.#high === 0 ? BigInt(this.#low) : (BigInt(this.#high) << 32n) | BigInt(this.#low);
  }

  /** The two 32-bit words, low first, of a varint; for bit arrays. */
  words(field: string): readonly [number, number] {
    return this.#varint(field) ? [this.#low, this.#high] : [0, 0];
  }

  bool(field: string): boolean {
    const value = this.uint32(field);
    if (value > 1) this.fail(field, 'boolean is neither 0 nor 1');
    return value === 1;
  }

  /** Length prefix of a piece that lies wholly within the message. */
  #size(field: string, bytesMax: number): number {
    const size = this.uint32(field);
    if (size > bytesMax) this.fail(field, `${size} bytes, at most ${bytesMax} are allowed`, bytesMax);
    else if (size > this.end - this.at) this.fail(field, `ends before its ${size} bytes`);
    return this.error === undefined ? size : 0;
  }

  /** A copy. */
  bytes(field: string, bytesMax: number): Bytes {
    const size = this.#size(field, bytesMax);
    if (size === 0) return EMPTY;
    this.at += size;
    // Not `this.#bytes.slice`: on a Buffer that would be a window.
    return Uint8Array.prototype.slice.call(this.#bytes, this.at - size, this.at);
  }

  string(field: string, bytesMax: number): string {
    const size = this.#size(field, bytesMax);
    if (size === 0) return '';
    const start = this.at;
    this.at += size;
    const text = decodeUtf8(this.#bytes.subarray(start, this.at));
    if (text === undefined) this.fail(field, 'text is not valid UTF-8');
    return text ?? '';
  }

  /** Enters a length-delimited message; pass the answer to `leave`. */
  enter(field: string, bytesMax: number): number {
    const size = this.#size(field, bytesMax);
    const outer = this.end;
    this.end = this.at + size;
    return outer;
  }

  leave(field: string, outer: number): void {
    if (this.at < this.end) this.fail(field, 'bytes left over');
    if (this.error === undefined) this.end = outer;
  }

  /** Steps over a field that this table does not know. */
  skip(field: string): void {
    const tag = this.uint32(field);
    switch (tag & 7) {
      case WIRE.varint:
        this.#varint(field);
        return;
      case WIRE.fixed64:
        return this.#step(field, 8);
      case WIRE.bytes:
        return this.#step(field, this.uint32(field));
      case WIRE.fixed32:
        return this.#step(field, 4);
      default:
        this.fail(field, `wire type ${tag & 7}`);
    }
  }

  #step(field: string, count: number): void {
    if (count > this.end - this.at) this.fail(field, 'ends within an unknown field');
    else this.at += count;
  }
}
