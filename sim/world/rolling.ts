import type { Bytes } from '../../core/lib/bytes.ts';

/**
 * A running 128-bit hash of everything that happens, from 32-bit operations only: cheap enough to feed with every
 * frame of every run. Not collision resistant against an adversary; it only has to notice that two runs differ.
 */
export class RollingHash {
  #a = 0x243f6a88 | 0;
  #b = 0x85a308d3 | 0;
  #c = 0x13198a2e | 0;
  #d = 0x03707344 | 0;

  /** Mixes in the low 32 bits of a whole number. */
  word(value: number): void {
    let a = Math.imul(this.#a ^ value, 0x9e3779b1);
    a = (a << 13) | (a >>> 19);
    const b = Math.imul((this.#b + a) | 0, 0x85ebca77);
    this.#d = (this.#d + this.#a) ^ (b >>> 15);
    this.#c = Math.imul((this.#c ^ b) | 0, 0xc2b2ae3d);
    this.#a = (a + this.#d) | 0;
    this.#b = ((b << 17) | (b >>> 15)) ^ this.#c;
  }

  /** A safe whole number, both halves. */
  number(value: number): void {
    this.word(value | 0);
    this.word(Math.floor(value / 2 ** 32) | 0);
  }

  bytes(bytes: Bytes): void {
    const length = bytes.length;
    const whole = length & ~3;
    this.word(length);
    for (let i = 0; i < whole; i += 4) {
      this.word(
        (bytes[i] as number) |
          ((bytes[i + 1] as number) << 8) |
          ((bytes[i + 2] as number) << 16) |
          ((bytes[i + 3] as number) << 24),
      );
    }
    if (whole === length) return;
    let rest = 0;
    for (let i = whole; i < length; i++) rest = (rest << 8) | (bytes[i] as number);
    this.word(rest);
  }

  text(text: string): void {
    this.word(text.length);
    for (let i = 0; i < text.length; i++) this.word(text.charCodeAt(i));
  }

  /** 32 hex digits. */
  hex(): string {
    return [this.#a, this.#b, this.#c, this.#d]
      .map((word) => (word >>> 0).toString(16).padStart(8, '0'))
      .join('');
  }
}

/** 32-bit hash of a byte string. Other seeds give independent functions. */
export function hashBytes(bytes: Bytes, seed: number): number {
  let h = (seed ^ Math.imul(bytes.length, 0x9e3779b1)) | 0;
  const length = bytes.length;
  const whole = length & ~3;
  for (let i = 0; i < whole; i += 4) {
    h ^=
      (bytes[i] as number) |
      ((bytes[i + 1] as number) << 8) |
      ((bytes[i + 2] as number) << 16) |
      ((bytes[i + 3] as number) << 24);
    h = Math.imul(h, 0x85ebca6b);
    h ^= h >>> 15;
  }
  for (let i = whole; i < length; i++) h = Math.imul(h ^ (bytes[i] as number), 0xc2b2ae35);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
