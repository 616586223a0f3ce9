import { sha256 } from '@noble/hashes/sha2.js';
import { encodeUtf8 } from '../../core/lib/utf8.ts';

/** Outputs thrown away after seeding, as sfc32's author advises. */
const WARMUP_ROUNDS = 12;

/**
 * sfc32 (Chris Doty-Humphrey, PractRand): 128 bits of state, 32-bit operations only, so equal on every JavaScript
 * engine. Seeded with the first 96 bits of sha256("orrery-sim/1" ‖ 0 ‖ seed ‖ 0 ‖ label) and a counter of one.
 */
export class Sfc32 {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  constructor(seed: string, label: string) {
    const digest = sha256(encodeUtf8(`orrery-sim/1\0${seed}\0${label}`));
    const word = (at: number): number =>
      ((digest[at] as number) << 24) |
      ((digest[at + 1] as number) << 16) |
      ((digest[at + 2] as number) << 8) |
      (digest[at + 3] as number) |
      0;
    this.#a = word(0);
    this.#b = word(4);
    this.#c = word(8);
    for (let i = 0; i < WARMUP_ROUNDS; i++) this.next();
  }

  /** The next 32 bits, 0..2^32 - 1. */
  next(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }
}
