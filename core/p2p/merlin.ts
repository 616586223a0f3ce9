/** Merlin transcripts (merlin.cool v1.0) over STROBE-128, as far as CometBFT's handshake needs: AD, PRF, challenge. */
import { keccakP } from '@noble/hashes/sha3.js';
import type { Bytes } from '../lib/bytes.ts';
import { encodeUtf8 } from '../lib/utf8.ts';

/** STROBE rate in bytes: 200 - 2 · 128/8 - 2. */
const RATE = 166;
const FLAG = { i: 1, a: 2, c: 4, m: 16 } as const;

/** The STROBE-128 duplex, restricted to the operations Merlin needs. */
class Strobe {
  readonly #state = new Uint8Array(200);
  readonly #words = new Uint32Array(this.#state.buffer);
  #at = 0;
  #begin = 0;

  constructor(protocol: string) {
    this.#state.set([1, RATE + 2, 1, 0, 1, 96]);
    this.#state.set(encodeUtf8('STROBEv1.0.2'), 6);
    keccakP(this.#words);
    this.metaAd(encodeUtf8(protocol), false);
  }

  metaAd(data: Bytes, more: boolean): void {
    if (!more) this.#start(FLAG.m | FLAG.a);
    this.#absorb(data);
  }

  ad(data: Bytes): void {
    this.#start(FLAG.a);
    this.#absorb(data);
  }

  prf(length: number): Bytes {
    this.#start(FLAG.i | FLAG.a | FLAG.c);
    const out = new Uint8Array(length);
    for (let i = 0; i < length; i++) {
      out[i] = this.#state[this.#at] as number;
      this.#state[this.#at] = 0;
      this.#advance();
    }
    return out;
  }

  #start(flags: number): void {
    const begin = this.#begin;
    this.#begin = this.#at + 1;
    this.#absorb(new Uint8Array([begin, flags]));
    if ((flags & FLAG.c) !== 0 && this.#at !== 0) this.#permute();
  }

  #absorb(data: Bytes): void {
    for (const byte of data) {
      this.#state[this.#at] = (this.#state[this.#at] as number) ^ byte;
      this.#advance();
    }
  }

  #advance(): void {
    this.#at += 1;
    if (this.#at === RATE) this.#permute();
  }

  #permute(): void {
    this.#state[this.#at] = (this.#state[this.#at] as number) ^ this.#begin;
    this.#state[this.#at + 1] = (this.#state[this.#at + 1] as number) ^ 0x04;
    this.#state[RATE + 1] = (this.#state[RATE + 1] as number) ^ 0x80;
    keccakP(this.#words);
    this.#at = 0;
    this.#begin = 0;
  }
}

const le32 = (value: number): Bytes => new Uint8Array(new Uint32Array([value]).buffer);

export class MerlinTranscript {
  readonly #strobe = new Strobe('Merlin v1.0');

  constructor(label: string) {
    this.append('dom-sep', encodeUtf8(label));
  }

  append(label: string, message: Bytes): void {
    this.#strobe.metaAd(encodeUtf8(label), false);
    this.#strobe.metaAd(le32(message.length), true);
    this.#strobe.ad(message);
  }

  challenge(label: string, length: number): Bytes {
    this.#strobe.metaAd(encodeUtf8(label), false);
    this.#strobe.metaAd(le32(length), true);
    return this.#strobe.prf(length);
  }
}
