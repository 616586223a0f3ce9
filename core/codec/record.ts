/** How values lie in the database: `crc32(key ‖ payload)`, 4 bytes big-endian, then the payload. */
import type { Bytes } from '../lib/bytes.ts';
import { StorageFault } from '../lib/storageFault.ts';
import type { KvOp } from '../types/kvOp.ts';

const TABLE = crcTable();

function crcTable(): Uint32Array {
  const table = new Uint32Array(256);
  for (let i = 0; i < 256; i++) {
    let word = i;
    for (let bit = 0; bit < 8; bit++) word = (word & 1) === 1 ? (word >>> 1) ^ 0xedb88320 : word >>> 1;
    table[i] = word;
  }
  return table;
}

function crcOf(bytes: Bytes, start: number, state: number): number {
  let crc = state;
  for (let i = start; i < bytes.length; i++) {
    crc = (TABLE[(crc ^ (bytes[i] as number)) & 255] as number) ^ (crc >>> 8);
  }
  return crc;
}

const checksum = (key: Bytes, value: Bytes, start: number): number =>
  ~crcOf(value, start, crcOf(key, 0, 0xffffffff)) >>> 0;

/**
 * The record of a value. The checksum covers the key too, so that a value that a faulty disk wrote or read at
 * another place is noticed as well as an altered one.
 */
export function encodeRecord(key: Bytes, payload: Bytes): Bytes {
  const record = new Uint8Array(4 + payload.length);
  record.set(payload, 4);
  const sum = checksum(key, record, 4);
  for (let i = 0; i < 4; i++) record[i] = (sum >>> (8 * (3 - i))) & 255;
  return record;
}

/** The write of a record. */
export const putRecord = (key: Bytes, payload: Bytes): Extract<KvOp, { type: 'put' }> => ({
  type: 'put',
  key,
  value: encodeRecord(key, payload),
});

/** The payload of a record found under `key`; anything else than what was written is a storage fault. */
export function decodeRecord(key: Bytes, record: Bytes): Bytes {
  if (record.length < 4) throw new StorageFault('record too short', key);
  const sum = checksum(key, record, 4);
  for (let i = 0; i < 4; i++) {
    if (record[i] !== ((sum >>> (8 * (3 - i))) & 255))
      throw new StorageFault('record altered or misplaced', key);
  }
  return new Uint8Array(record.subarray(4));
}
