import { assert } from '../lib/assert.ts';
import { type Bytes, concat, EMPTY } from '../lib/bytes.ts';
import { err, ok, type Result } from '../lib/result.ts';

/** Cuts length-prefixed messages out of a byte stream. Keeps at most one unfinished message. */
export class DelimitedReader {
  #rest: Bytes = EMPTY;

  push(bytes: Bytes): void {
    if (bytes.length > 0) this.#rest = this.#rest.length === 0 ? bytes : concat(this.#rest, bytes);
  }

  /** The next message; undefined if more bytes are needed; an error if it claims more than `bytesMax` bytes. */
  next(bytesMax: number): Result<Bytes | undefined, string> {
    let length = 0;
    for (let i = 0; i < 5; i++) {
      const byte = this.#rest[i];
      if (byte === undefined) return ok(undefined);
      length += (byte & 0x7f) * 2 ** (7 * i);
      if (length > bytesMax) return err(`message of ${length} bytes, at most ${bytesMax} are allowed`);
      if (byte < 0x80) return ok(this.#cut(i + 1, length));
    }
    return err('length prefix is too long');
  }

  #cut(start: number, length: number): Bytes | undefined {
    if (this.#rest.length < start + length) return undefined;
    const message = this.#rest.slice(start, start + length);
    this.#rest = this.#rest.subarray(start + length);
    return message;
  }

  /** Removes and returns all remaining bytes: they belong to the next layer of the protocol. */
  takeAll(): Bytes {
    const rest = this.#rest;
    this.#rest = EMPTY;
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
