/**
 * Protobuf's wire format, read under canonical rules (writer.ts writes it).
 *
 * We do not use protobufjs here. A general reader accepts varints that are not minimal, returns windows of the input
 * and rounds 64-bit numbers, and in Node its bytes are Buffers, whose `slice` does not copy. The tests use protobufjs
 * as an independent reference.
 */
import { type Bytes, EMPTY } from '../lib/bytes.ts';
import { decodeUtf8 } from '../lib/utf8.ts';

/** Outside bytes are not a canonical encoding. `field` is `Message.field_name`. */
export interface CodecError {
  readonly code: 'codec';
  readonly message: string;
  readonly field: string;
  /** The limit that was exceeded, if there is one. */
  readonly limit?: number;
}

const WIRE = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

const TWO_32 = 0x1_0000_0000;

/**
 * Reads outside bytes. The first failure is kept: it empties the input, later reads return zeros, and the caller checks
 * `error` at the end. Nothing throws, and every result is a copy.
 */
export class Reader {
  readonly #bytes: Bytes;
  /** Position of the next byte. */
  at = 0;
  /** End of the message being read. */
  end: number;
  error: CodecError | undefined;
  /** Whether default numbers and empty texts may be written out. */
  readonly takesDefaults: boolean;
  #low = 0;
  #high = 0;

  constructor(bytes: Bytes, takesDefaults = false) {
    this.takesDefaults = takesDefaults;
    // A Buffer's slice is a window, and its other methods return Buffers. Read it as a plain Uint8Array.
    this.#bytes =
      bytes.constructor === Uint8Array
        ? bytes
        : new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.end = bytes.length;
  }

  fail(field: string, problem: string, limit?: number): void {
    if (this.error !== undefined) return;
    const message = `${field}: ${problem}`;
    this.error = { code: 'codec', message, field, ...(limit === undefined ? {} : { limit }) };
    this.end = 0;
    this.at = 0;
  }

  /** Reads a varint of at most 64 bits into the two words. False if it failed. */
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

  /** The next tag, without consuming it; 0 at the end of the message. */
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
    // Must be sign-extended to 64 bits: Go would silently truncate anything else.
    if (this.#high !== (value < 0 ? TWO_32 - 1 : 0)) this.fail(field, 'number beyond 32 bits', 2 ** 31 - 1);
    return value;
  }

  /** An int64 that must be a safe integer. */
  int64(field: string): number {
    if (!this.#varint(field)) return 0;
    const value = (this.#high | 0) * TWO_32 + this.#low;
    if (!Number.isSafeInteger(value))
      this.fail(field, 'number is not a safe integer', Number.MAX_SAFE_INTEGER);
    return value;
  }

  /** A uint64 that must be a safe integer. */
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

  /** The two 32-bit words of a varint, low first. Used for bit arrays. */
  words(field: string): readonly [number, number] {
    return this.#varint(field) ? [this.#low, this.#high] : [0, 0];
  }

  bool(field: string): boolean {
    const value = this.uint32(field);
    if (value > 1) this.fail(field, 'boolean is neither 0 nor 1');
    return value === 1;
  }

  /** The length prefix of a piece, which must end within the message. */
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
    return this.#bytes.slice(this.at - size, this.at);
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

  /** Enters a length-delimited message. Pass the result to `leave`. */
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

  /** Skips a field that the table does not know. */
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
