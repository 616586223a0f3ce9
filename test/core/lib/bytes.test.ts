import { expect, test } from 'vitest';
import { append } from '../../../core/lib/append.ts';
import { compareBytes, compareText, joined, parseHex, toHex, toUpperHex } from '../../../core/lib/bytes.ts';
import { crc32 } from '../../../core/lib/crc32.ts';
import { decodeUtf8, encodeUtf8 } from '../../../core/lib/utf8.ts';

test('hex is read in either case, with either prefix or none', () => {
  const value = Uint8Array.of(0x0a, 0xbc);
  for (const text of ['0abc', '0ABC', '0x0aBc', '0X0AbC'])
    expect(parseHex(text)).toEqual({ ok: true, value });
  for (const text of ['0x', '0X', '']) expect(parseHex(text)).toEqual({ ok: true, value: new Uint8Array(0) });
  for (const text of ['0', '0x0', 'x0', '0g', '0x0 ', '@0', '`0', '/0', ':0', 'G0'])
    expect(parseHex(text), text).toMatchObject({ ok: false });
  expect(toUpperHex(value)).toBe('0ABC');
});

test('bytes of any length are written as Node writes them, and read back', () => {
  for (const length of [0, 1, 3, 4, 31, 32, 511, 512, 513, 10_000]) {
    const bytes = Uint8Array.from({ length }, (_, i) => (i * 167) & 255);
    expect(toHex(bytes)).toBe(Buffer.from(bytes).toString('hex'));
    expect(parseHex(toHex(bytes))).toEqual({ ok: true, value: bytes });
  }
});

test('bytes are ordered one by one, and a beginning before the whole', () => {
  const sorted = [[], [0], [0, 0], [0, 1], [1], [1, 0], [255]].map((list) => Uint8Array.from(list));
  expect(sorted.toReversed().toSorted(compareBytes)).toEqual(sorted);
  expect(['b', 'B', 'ä', 'a', ''].toSorted(compareText)).toEqual(['', 'B', 'a', 'b', 'ä']);
});

test('CRC-32 has its check value', () => {
  expect(crc32(encodeUtf8('123456789'))).toBe(0xcbf43926);
  expect(crc32(new Uint8Array(0))).toBe(0);
});

test('text is read as it was written, a byte order mark as well', () => {
  for (const text of ['', 'a', '\u{feff}a', 'a\u{0}b', '\u{10ffff}'])
    expect(decodeUtf8(encodeUtf8(text))).toBe(text);
  for (const bytes of [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xe2, 0x82]])
    expect(decodeUtf8(Uint8Array.from(bytes))).toBeUndefined();
});

test('lists of any length are joined and added', () => {
  const many = Array.from({ length: 300_000 }, (_, i) => Uint8Array.of(i & 255));
  expect(toHex(joined(many))).toBe(toHex(Uint8Array.from(many, ([byte]) => byte as number)));
  const list = [0];
  append(list, many.keys());
  expect([list.length, list.at(1), list.at(-1)]).toEqual([300_001, 0, 299_999]);
});
