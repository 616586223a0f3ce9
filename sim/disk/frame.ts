import type { Bytes } from '../../core/lib/bytes.ts';
import type { LogRecord } from '../../core/node/contract.ts';
import { hashBytes } from '../world/rolling.ts';

/** length u32 ‖ checksum u32, big-endian, before each body; the checksum covers the length too. */
const HEAD_BYTES = 8;
const HEIGHT_BYTES = 8;
/** A greater length can only be damage. */
const BODY_BYTES_MAX = 64 * 1024 * 1024;

const checksum = (body: Bytes): number => hashBytes(body, body.length);

const viewOf = (bytes: Bytes): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** The bytes of one record as they lie in the log file. */
export function frameRecord(record: LogRecord): Bytes {
  const frame = new Uint8Array(HEAD_BYTES + HEIGHT_BYTES + record.bytes.length);
  frame.set(record.bytes, HEAD_BYTES + HEIGHT_BYTES);
  const view = viewOf(frame);
  view.setBigUint64(HEAD_BYTES, BigInt(record.height));
  view.setUint32(0, frame.length - HEAD_BYTES);
  view.setUint32(4, checksum(frame.subarray(HEAD_BYTES)));
  return frame;
}

/** The first whole, undamaged record at `at` and the offset behind it; undefined at the end or at damage. */
export function readRecord(
  bytes: Bytes,
  at: number,
): { readonly record: LogRecord; readonly end: number } | undefined {
  if (bytes.length - at < HEAD_BYTES + HEIGHT_BYTES) return undefined;
  const view = viewOf(bytes);
  const length = view.getUint32(at);
  if (length < HEIGHT_BYTES || length > BODY_BYTES_MAX || at + HEAD_BYTES + length > bytes.length)
    return undefined;
  const body = bytes.slice(at + HEAD_BYTES, at + HEAD_BYTES + length);
  if (view.getUint32(at + 4) !== checksum(body)) return undefined;
  const height = Number(viewOf(body).getBigUint64(0));
  return { record: { height, bytes: body.slice(HEIGHT_BYTES) }, end: at + HEAD_BYTES + length };
}
