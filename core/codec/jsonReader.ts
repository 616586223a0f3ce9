/** Reads values from parsed JSON. Keeps the first failure; a value that cannot be read becomes a neutral one. */
import { fromBase64 } from '../lib/base64.ts';
import { type Bytes, EMPTY, parseHex } from '../lib/bytes.ts';
import { decodeUtf8, encodeUtf8 } from '../lib/utf8.ts';
import { type Timestamp, ZERO_TIME } from '../types/ids.ts';
import { parseTime } from './timeText.ts';

type Plain = { readonly [key: string]: unknown };

export class JsonReader {
  /** The first failure, with a message like `validators[2].power: …`. */
  problem: { readonly field: string; readonly message: string } | undefined;

  fail(field: string, expected: string): void {
    this.problem ??= { field, message: `${field}: expected ${expected}` };
  }

  object(value: unknown, field: string): Plain {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Plain;
    this.fail(field, 'an object');
    return {};
  }

  /** Absent and null count as empty, as in Go. */
  list(value: unknown, field: string, countMax: number): readonly unknown[] {
    if (value === undefined || value === null) return [];
    if (!Array.isArray(value)) this.fail(field, 'a list');
    else if (value.length <= countMax) return value;
    else this.fail(field, `at most ${countMax} entries`);
    return [];
  }

  /** An unpaired surrogate becomes U+FFFD, as in Go, so that encoding a text to bytes and back does not change it. */
  text(value: unknown, field: string): string {
    if (typeof value === 'string') return decodeUtf8(encodeUtf8(value)) ?? '';
    this.fail(field, 'a text');
    return '';
  }

  /** int64 as Go writes it: a decimal text. A plain whole number is accepted too. */
  big(value: unknown, field: string): bigint {
    if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value);
    if (typeof value === 'string' && /^-?\d{1,19}$/.test(value)) {
      const number = BigInt(value);
      if (BigInt.asIntN(64, number) === number) return number;
    }
    this.fail(field, 'a whole number of 64 bits, in quotes');
    return 0n;
  }

  /** An int64 that is a safe integer. */
  integer(value: unknown, field: string): number {
    const number = Number(this.big(value, field));
    if (Number.isSafeInteger(number)) return number;
    this.fail(field, `a whole number up to ${Number.MAX_SAFE_INTEGER}`);
    return 0;
  }

  hex(value: unknown, field: string): Bytes {
    if (value === undefined || value === null) return EMPTY;
    const parsed = parseHex(this.text(value, field));
    if (parsed.ok) return parsed.value;
    this.fail(field, `hex digits (${parsed.error.message})`);
    return EMPTY;
  }

  base64(value: unknown, field: string, length: number): Bytes {
    const parsed = fromBase64(this.text(value, field));
    if (parsed.ok && parsed.value.length === length) return parsed.value;
    this.fail(field, `${length} bytes in base64`);
    return new Uint8Array(length);
  }

  time(value: unknown, field: string): Timestamp {
    const parsed = parseTime(this.text(value, field));
    if (parsed.ok) return parsed.value;
    this.fail(field, 'an RFC 3339 time');
    return ZERO_TIME;
  }
}

/** undefined if the text is not JSON. */
export function parseJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
