/** The encrypted byte stream of a SecretConnection: fixed frames of 1028 plain bytes (p2p/conn/secret_connection.go). */
import { chacha20poly1305 } from '@noble/ciphers/chacha.js';
import { assert } from '../lib/assert.ts';
import { type Bytes, concat, EMPTY, joined } from '../lib/bytes.ts';
import { err, ok, type Result } from '../lib/result.ts';

/** ChaCha20-Poly1305 without associated data: 32-byte key, 12-byte nonce, 16-byte tag at the end. */
export interface Aead {
  seal(key: Bytes, nonce: Bytes, plain: Bytes): Bytes;
  /** undefined if the tag does not verify. */
  open(key: Bytes, nonce: Bytes, sealed: Bytes): Bytes | undefined;
}

/** The default implementation; hosts may have a faster one. */
export const nobleAead: Aead = {
  seal: (key, nonce, plain) => chacha20poly1305(key, nonce).encrypt(plain),
  open(key, nonce, sealed) {
    try {
      return chacha20poly1305(key, nonce).decrypt(sealed);
    } catch {
      return undefined;
    }
  },
};

const DATA_BYTES_MAX = 1024;
const PLAIN_BYTES = 4 + DATA_BYTES_MAX;
export const SEALED_BYTES = PLAIN_BYTES + 16;

/** 96-bit nonce: four zero bytes and a little-endian counter. */
class Nonce {
  readonly #bytes = new Uint8Array(12);
  readonly #view = new DataView(this.#bytes.buffer);
  #count = 0;

  next(): Bytes {
    assert(this.#count < Number.MAX_SAFE_INTEGER, 'nonce counter exhausted');
    this.#view.setUint32(4, this.#count >>> 0, true);
    this.#view.setUint32(8, Math.floor(this.#count / 0x1_0000_0000), true);
    this.#count += 1;
    return this.#bytes;
  }
}

/** Cuts bytes into sealed frames. */
export class Sealer {
  readonly #key: Bytes;
  readonly #nonce = new Nonce();
  readonly #aead: Aead;

  constructor(key: Bytes, aead: Aead = nobleAead) {
    this.#key = key;
    this.#aead = aead;
  }

  seal(data: Bytes): Bytes {
    const frames = Math.ceil(data.length / DATA_BYTES_MAX);
    const out = new Uint8Array(frames * SEALED_BYTES);
    for (let i = 0; i < frames; i++) {
      const chunk = data.subarray(i * DATA_BYTES_MAX, (i + 1) * DATA_BYTES_MAX);
      const plain = new Uint8Array(PLAIN_BYTES);
      new DataView(plain.buffer).setUint32(0, chunk.length, true);
      plain.set(chunk, 4);
      out.set(this.#aead.seal(this.#key, this.#nonce.next(), plain), i * SEALED_BYTES);
    }
    return out;
  }
}

/** Opens sealed frames as bytes arrive. Keeps at most one unfinished frame. */
export class Opener {
  readonly #key: Bytes;
  readonly #nonce = new Nonce();
  readonly #aead: Aead;
  #rest: Bytes = EMPTY;

  constructor(key: Bytes, aead: Aead = nobleAead) {
    this.#key = key;
    this.#aead = aead;
  }

  /** The data of all whole frames. After an error the connection cannot be used any more. */
  open(bytes: Bytes): Result<Bytes, string> {
    const input = this.#rest.length === 0 ? bytes : concat(this.#rest, bytes);
    const frames = Math.floor(input.length / SEALED_BYTES);
    const chunks: Bytes[] = [];
    for (let i = 0; i < frames; i++) {
      const opened = this.#openFrame(input.subarray(i * SEALED_BYTES, (i + 1) * SEALED_BYTES));
      if (!opened.ok) return opened;
      chunks.push(opened.value);
    }
    this.#rest = input.slice(frames * SEALED_BYTES);
    return ok(chunks.length === 1 ? (chunks[0] as Bytes) : joined(chunks));
  }

  #openFrame(sealed: Bytes): Result<Bytes, string> {
    const plain = this.#aead.open(this.#key, this.#nonce.next(), sealed);
    if (plain === undefined) return err('frame does not authenticate');
    const length = new DataView(plain.buffer, plain.byteOffset).getUint32(0, true);
    if (length > DATA_BYTES_MAX) return err(`frame claims ${length} data bytes, at most ${DATA_BYTES_MAX}`);
    return ok(plain.subarray(4, 4 + length));
  }
}
