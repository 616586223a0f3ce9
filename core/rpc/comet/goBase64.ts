/**
 * Base64 as Go's encoding/base64 reads it: it skips line breaks and ignores spare bits. For input from clients of the
 * consensus RPC; where each value must have a unique text, use core/lib/base64.ts.
 */
import { base64Digit, fromBase64 } from '../../lib/base64.ts';
import type { Bytes } from '../../lib/bytes.ts';
import { err, ok, type Result } from '../../lib/result.ts';
import { encodeUtf8 } from '../../lib/utf8.ts';

const PAD = '='.charCodeAt(0);
const isLineBreak = (byte: number | undefined): boolean => byte === 0x0a || byte === 0x0d;

/** Go's error text, with the position in bytes. */
export function fromGoBase64(text: string): Result<Bytes, string> {
  const strict = fromBase64(text);
  if (strict.ok) return strict;
  const from = encodeUtf8(text);
  const out: number[] = [];
  let at = 0;
  const corrupt = (place: number) => err(`illegal base64 data at input byte ${place}`);
  const passBreaks = () => {
    while (isLineBreak(from[at])) at++;
  };
  for (;;) {
    let bits = 0;
    let digits = 0;
    while (digits < 4) {
      passBreaks();
      const byte = from[at];
      if (byte === undefined) return digits === 0 ? ok(Uint8Array.from(out)) : corrupt(at - digits);
      at++;
      const value = base64Digit(byte);
      if (value < 0) {
        if (byte !== PAD || digits < 2) return corrupt(at - 1);
        break;
      }
      bits = (bits << 6) | value;
      digits++;
    }
    if (digits === 2) {
      passBreaks();
      if (from[at] === undefined) return corrupt(from.length);
      if (from[at] !== PAD) return corrupt(at - 1);
      at++;
    }
    const whole = bits << (6 * (4 - digits));
    for (let i = 1; i < digits; i++) out.push((whole >> (24 - 8 * i)) & 0xff);
    if (digits === 4) continue;
    passBreaks();
    return from[at] === undefined ? ok(Uint8Array.from(out)) : corrupt(at);
  }
}
