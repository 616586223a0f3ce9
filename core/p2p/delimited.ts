import { assert } from '../lib/assert.ts';
import { type Bytes, concat, EMPTY } from '../lib/bytes.ts';
import { err, ok, type Result } from '../lib/result.ts';

/** Cuts length-prefixed messages out of a byte stream. Keeps at most one unfinished message. */
export class DelimitedReader {
  /** What is pending are its bytes from #start to #end. */
  #buffer: Bytes = EMPTY;
  #start = 0;
  #end = 0;

  push(bytes: Bytes): void {
    const pending = this.#end - this.#start;
    if (pending === 0) {
      [this.#buffer, this.#start, this.#end] = [bytes, 0, bytes.length];
      return;
    }
    // Grows by doubling: the peer decides in how many pieces a message comes.
    if (this.#end + bytes.length > this.#buffer.length) {
      const grown = new Uint8Array(Math.max(pending + bytes.length, 2 * pending));
      grown.set(this.#buffer.subarray(this.#start, this.#end));
      [this.#buffer, this.#start, this.#end] = [grown, 0, pending];
    }
    this.#buffer.set(bytes, this.#end);
    this.#end += bytes.length;
  }

  /** The next message; undefined if more bytes are needed; an error if it claims more than `bytesMax` bytes. */
  next(bytesMax: number): Result<Bytes | undefined, string> {
    let length = 0;
    for (let i = 0; i < 5; i++) {
      if (this.#start + i >= this.#end) return ok(undefined);
      const byte = this.#buffer[this.#start + i] as number;
      length += (byte & 0x7f) * 2 ** (7 * i);
      if (length > bytesMax) return err(`message of ${length} bytes, at most ${bytesMax} are allowed`);
      if (byte < 0x80) return ok(this.#cut(this.#start + i + 1, length));
    }
    return err('length prefix is too long');
  }

  #cut(start: number, length: number): Bytes | undefined {
    if (start + length > this.#end) return undefined;
    this.#start = start + length;
    return this.#buffer.slice(start, this.#start);
  }

  /** Removes and returns all remaining bytes: they belong to the next layer of the protocol. */
  takeAll(): Bytes {
    const rest = this.#buffer.subarray(this.#start, this.#end);
    [this.#buffer, this.#start, this.#end] = [EMPTY, 0, 0];
    return rest;
  }
}

/** The message with its length prefix. */
export function delimited(message: Bytes): Bytes {
  const prefix: number[] = [];
  let rest = message.length;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) prefix.push((rest % 128) | 0x80);
  prefix.push(rest);
  assert(prefix.length <= 5, 'message too long for its prefix');
  return concat(Uint8Array.from(prefix), message);
}
