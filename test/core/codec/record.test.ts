import { expect, test } from 'vitest';
import { decodeRecord, encodeRecord } from '../../../core/codec/record.ts';
import { concat, toHex } from '../../../core/lib/bytes.ts';
import { encodeUtf8 } from '../../../core/lib/utf8.ts';

/** By the definition, a bit at a time. */
function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 1) === 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return ~crc >>> 0;
}

test('the check value of CRC-32 lies before the payload', () => {
  expect(toHex(encodeRecord(encodeUtf8(''), encodeUtf8('123456789'))).slice(0, 8)).toBe('cbf43926');
  expect(toHex(encodeRecord(encodeUtf8('12345'), encodeUtf8('6789'))).slice(0, 8)).toBe('cbf43926');
});

test('the sum is of key and payload, however long they are', () => {
  for (let length = 0; length < 70; length++) {
    const key = Uint8Array.from({ length: length % 19 }, (_, i) => 7 * i + length);
    const payload = Uint8Array.from({ length }, (_, i) => i * i * 31 + length);
    const record = encodeRecord(key, payload);
    expect(new DataView(record.buffer, record.byteOffset).getUint32(0)).toBe(crc32(concat(key, payload)));
    expect(decodeRecord(key, record)).toEqual(payload);
  }
});
