import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fromBase64, toBase64 } from '../../../core/lib/base64.ts';

test('base64 is the one of Node, of any length', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      const text = Buffer.from(bytes).toString('base64');
      expect(toBase64(bytes)).toBe(text);
      expect(fromBase64(text)).toEqual({ ok: true, value: bytes });
    }),
  );
  const long = new Uint8Array(100_001).map((_, i) => i % 251);
  expect(toBase64(long)).toBe(Buffer.from(long).toString('base64'));
});

test.each(['A', 'AA', 'AAA', 'A===', 'AA=A', '====', 'AB==', 'AAB=', 'AA-_', 'AA A', 'AAAÄ'])(
  '%s is refused',
  (text) => {
    expect(fromBase64(text)).toMatchObject({ ok: false, error: { code: 'base64' } });
  },
);
