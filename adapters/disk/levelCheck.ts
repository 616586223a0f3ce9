/**
 * Does for LevelDB's write-ahead logs what its paranoid checks would do, which the binding cannot enable. Without them
 * LevelDB silently drops the rest of a damaged log, and committed heights with it.
 *
 * Log format (leveldb doc/log_format.md): blocks of 32 KiB; record = masked crc32c u32 ‖ length u16 ‖ type u8 ‖ data,
 * little-endian; the checksum covers type and data; type 1 full, 2 first, 3 middle, 4 last; the last bytes of a block are
 * zero if they are too few for a record header.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OperatingError } from '../operatingError.ts';
import { crc32c } from './crc32c.ts';

const BLOCK_BYTES = 32768;
const HEADER_BYTES = 7;
const FULL = 1;
const FIRST = 2;

/**
 * Throws OperatingError if a log under `path` is damaged before its last batch. The last batch may be incomplete: each
 * batch is synced before the next is written, but after a power failure any of its blocks may be missing, not only the
 * last.
 */
export function checkLevelLogs(path: string): void {
  for (const name of readdirSync(path)) {
    if (!/^\d+\.log$/.test(name)) continue;
    const bytes = readLog(join(path, name));
    const offset = bytes === undefined ? undefined : damageOf(bytes);
    if (offset === undefined) continue;
    throw new OperatingError(`the database is damaged: ${join(path, name)}: bad record at byte ${offset}`);
  }
}

/** undefined when the file has just disappeared: another process uses the database, and opening it will fail. */
function readLog(path: string): Uint8Array | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Offset of the first bad record that is followed by the start of a batch; undefined if there is none. */
export function damageOf(bytes: Uint8Array): number | undefined {
  let bad: number | undefined;
  for (let block = 0; block < bytes.length; block += BLOCK_BYTES) {
    const end = Math.min(block + BLOCK_BYTES, bytes.length);
    let at = block;
    while (at + HEADER_BYTES <= end) {
      const next = recordEnd(bytes, at, end);
      if (next === undefined) {
        bad ??= at;
        break;
      }
      if (bad !== undefined && isBeginning(bytes, at)) return bad;
      at = next;
    }
  }
  return bad !== undefined && hasBeginningAfter(bytes, bad) ? bad : undefined;
}

/** Middle and last fragments belong to the same batch as the bad record. */
function isBeginning(bytes: Uint8Array, at: number): boolean {
  const type = bytes[at + 6];
  return type === FULL || type === FIRST;
}

/** Within the damaged block the record boundaries are unknown, so every offset is tried. */
function hasBeginningAfter(bytes: Uint8Array, bad: number): boolean {
  const end = Math.min(bad - (bad % BLOCK_BYTES) + BLOCK_BYTES, bytes.length);
  for (let at = bad + 1; at + HEADER_BYTES < end; at++) {
    if (isBeginning(bytes, at) && recordEnd(bytes, at, end) !== undefined) return true;
  }
  return false;
}

function recordEnd(bytes: Uint8Array, at: number, blockEnd: number): number | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = at + HEADER_BYTES + view.getUint16(at + 4, true);
  if (end > blockEnd) return undefined;
  return view.getUint32(at, true) === masked(crc32c(bytes, at + 6, end)) ? end : undefined;
}

/** LevelDB rotates and offsets stored checksums, because a CRC over data that contains CRCs is weak. */
const masked = (crc: number): number => ((((crc >>> 15) | (crc << 17)) >>> 0) + 0xa282ead8) >>> 0;
