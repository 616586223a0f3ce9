import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decode, encode } from '../../../core/codec/proto.ts';
import { concat } from '../../../core/lib/bytes.ts';
import { FROM_PEERS, STRICT } from './shapes.ts';

const edit = fc.record({
  at: fc.nat(),
  byte: fc.nat(255),
  how: fc.constantFrom('set', 'insert', 'remove', 'repeat'),
});

/** One small change: what a careless or malicious sender would try. */
function edited(bytes: Uint8Array, { at, byte, how }: { at: number; byte: number; how: string }): Uint8Array {
  const position = bytes.length === 0 ? 0 : at % bytes.length;
  const [before, after] = [bytes.subarray(0, position), bytes.subarray(position)];
  switch (how) {
    case 'set':
      return concat(before, Uint8Array.of(byte), after.subarray(1));
    case 'insert':
      return concat(before, Uint8Array.of(byte), after);
    case 'remove':
      return concat(before, after.subarray(1));
    default:
      return concat(bytes, after);
  }
}

describe.each([...STRICT, ...FROM_PEERS])('%s', (_name, shape, values) => {
  test('decodes to the value that was encoded', () => {
    fc.assert(
      fc.property(values, (value) => {
        expect(decode(shape, encode(shape, value))).toEqual({ ok: true, value });
      }),
      { numRuns: 40 },
    );
  });

  test('shares no memory with the bytes it was decoded from', () => {
    fc.assert(
      fc.property(values, (value) => {
        // A Buffer on purpose: its slice does not copy.
        const bytes = Buffer.from(encode(shape, value));
        const decoded = decode(shape, bytes);
        bytes.fill(0xee);
        expect(decoded).toEqual({ ok: true, value });
      }),
      { numRuns: 10 },
    );
  });

  test('of random bytes is an answer, never an exception', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        const decoded = decode(shape, bytes);
        if (!decoded.ok) expect(decoded.error.code).toBe('codec');
      }),
      { numRuns: 100 },
    );
  });
});

describe.each(STRICT)('%s', (_name, shape, values) => {
  test('accepts changed bytes only when they are the encoding of another value', () => {
    fc.assert(
      fc.property(values, edit, (value, change) => {
        const bytes = edited(encode(shape, value), change);
        const decoded = decode(shape, bytes);
        if (decoded.ok) expect(encode(shape, decoded.value)).toEqual(bytes);
      }),
      { numRuns: 150 },
    );
  });
});

describe.each(FROM_PEERS)('%s', (_name, shape, values) => {
  test('of changed bytes is an answer, and what it accepts can be encoded', () => {
    fc.assert(
      fc.property(values, edit, (value, change) => {
        const decoded = decode(shape, edited(encode(shape, value), change));
        if (decoded.ok) expect(decode(shape, encode(shape, decoded.value))).toEqual(decoded);
      }),
      { numRuns: 100 },
    );
  });
});
