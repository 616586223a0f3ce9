/** The form of values in the database: `crc32(key ‖ payload)`, 4 bytes big-endian, then the payload. */
import type { Bytes } from '../lib/bytes.ts';
import { room } from '../lib/room.ts';
import { StorageFault } from '../lib/storageFault.ts';
import type { KvOp } from '../types/kvOp.ts';
import type { Shape } from './proto.ts';
import { type Writer, written } from './writer.ts';

const SUM_BYTES = 4;
const NO_SUM = new Uint8Array(SUM_BYTES);
/** Bytes taken at a time. Records of blocks and results are long, and each is summed when written and when read. */
const STRIDE = 8;
/** Table n holds the CRC of a byte followed by n zero bytes. */
const TABLES = crcTables();

function crcTables(): Uint32Array {
  const tables = new Uint32Array(256 * STRIDE);
  for (let i = 0; i < 256; i++) {
    let word = i;
    for (let bit = 0; bit < 8; bit++) word = (word & 1) === 1 ? (word >>> 1) ^ 0xedb88320 : word >>> 1;
    tables[i] = word;
  }
  for (let i = 256; i < tables.length; i++) {
    const before = tables[i - 256] as number;
    tables[i] = (tables[before & 255] as number) ^ (before >>> 8);
  }
  return tables;
}

const entry = (behind: number, byte: number): number => TABLES[behind * 256 + (byte & 255)] as number;

function crcOf(bytes: Bytes, start: number, state: number): number {
  let crc = state;
  let i = start;
  for (; i + STRIDE <= bytes.length; i += STRIDE) {
    crc =
      entry(7, crc ^ (bytes[i] as number)) ^
      entry(6, (crc >>> 8) ^ (bytes[i + 1] as number)) ^
      entry(5, (crc >>> 16) ^ (bytes[i + 2] as number)) ^
      entry(4, (crc >>> 24) ^ (bytes[i + 3] as number)) ^
      entry(3, bytes[i + 4] as number) ^
      entry(2, bytes[i + 5] as number) ^
      entry(1, bytes[i + 6] as number) ^
      entry(0, bytes[i + 7] as number);
  }
  for (; i < bytes.length; i++) crc = entry(0, crc ^ (bytes[i] as number)) ^ (crc >>> 8);
  return crc;
}

const checksum = (key: Bytes, value: Bytes, start: number): number =>
  ~crcOf(value, start, crcOf(key, 0, 0xffffffff)) >>> 0;

/**
 * The record of a value. The checksum covers the key too. So it detects a value that a faulty disk wrote to or read
 * from another place, as well as an altered one.
 */
export function encodeRecord(key: Bytes, payload: Bytes): Bytes {
  const record = room(SUM_BYTES + payload.length);
  record.set(payload, SUM_BYTES);
  return summed(key, record);
}

function summed(key: Bytes, record: Bytes): Bytes {
  const sum = checksum(key, record, SUM_BYTES);
  for (let i = 0; i < SUM_BYTES; i++) record[i] = (sum >>> (8 * (3 - i))) & 255;
  return record;
}

/** The operation that puts a record whose payload `fill` writes. */
export const putWritten = <T>(
  key: Bytes,
  fill: (writer: Writer, value: T) => void,
  value: T,
): Extract<KvOp, { type: 'put' }> => ({
  type: 'put',
  key,
  value: summed(
    key,
    written((writer) => {
      writer.raw(NO_SUM);
      fill(writer, value);
    }, undefined),
  ),
});

/** The operation that puts a record whose payload is a message. */
export const putMessage = <T>(key: Bytes, shape: Shape<T>, value: T): Extract<KvOp, { type: 'put' }> =>
  putWritten(key, (writer, message) => shape.write(writer, message), value);

/** The operation that puts a record. */
export const putRecord = (key: Bytes, payload: Bytes): Extract<KvOp, { type: 'put' }> => ({
  type: 'put',
  key,
  value: encodeRecord(key, payload),
});

/** The payload of the record under `key`, as a window of it. A record that is not as written is a storage fault. */
export function decodeRecord(key: Bytes, record: Bytes): Bytes {
  if (record.length < SUM_BYTES) throw new StorageFault('record too short', key);
  const sum = checksum(key, record, SUM_BYTES);
  for (let i = 0; i < SUM_BYTES; i++) {
    if (record[i] !== ((sum >>> (8 * (3 - i))) & 255))
      throw new StorageFault('record altered or misplaced', key);
  }
  return new Uint8Array(record.buffer, record.byteOffset + SUM_BYTES, record.length - SUM_BYTES);
}
