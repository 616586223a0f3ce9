/**
 * Format of the WAL. A segment file is a header followed by frames:
 *
 *   header  magic "orrywal" ‖ version u8 ‖ sequence u64 ‖ crc32c u32 of the 16 bytes before
 *   frame   crc32c u32 ‖ length u32 ‖ kind u8 ‖ height u64 ‖ bytes[length]          (all big-endian)
 *
 * The checksum covers the rest of its frame, so a flipped length or height is detected too. It is combined with the
 * segment and the position of the frame, so a complete frame at the wrong place is invalid.
 */
import { crc32c, RangeCrc } from './crc32c.ts';

const MAGIC = Uint8Array.from([0x6f, 0x72, 0x72, 0x79, 0x77, 0x61, 0x6c, 0x02]);
export const SEGMENT_HEADER_BYTES = 20;
export const FRAME_HEADER_BYTES = 17;

/** `record`: a LogRecord. `mark`: everything up to `height` is stored and no longer needed. */
export type FrameKind = 'record' | 'mark';

export interface Frame {
  readonly kind: FrameKind;
  readonly height: number;
  /** A view into the scanned bytes. */
  readonly bytes: Uint8Array;
}

export interface SegmentFault {
  /** End of the valid prefix. */
  readonly offset: number;
  /** The fault is an unfinished write at the very end: no valid frame follows. */
  readonly torn: boolean;
  readonly reason: 'header' | 'short frame' | 'length' | 'checksum' | 'kind' | 'height';
}

const viewOf = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

export function encodeSegmentHeader(sequence: number): Uint8Array {
  const header = new Uint8Array(SEGMENT_HEADER_BYTES);
  header.set(MAGIC);
  const view = viewOf(header);
  view.setBigUint64(8, BigInt(sequence));
  view.setUint32(16, crc32c(header, 0, 16));
  return header;
}

/**
 * A 32-bit integer for the place of a frame at byte `position` of segment `sequence`. The frame's checksum is combined
 * with it.
 */
const placeOf = (sequence: number, position: number): number => Math.imul(sequence, 0x9e3779b1) ^ position;

export interface FrameOutput {
  readonly bytes: Uint8Array;
  /** Segment and byte position where `bytes` will be written. */
  readonly sequence: number;
  readonly position: number;
}

/** Writes one frame into `out` at `offset`; returns the offset after it. */
export function writeFrame(
  { bytes: out, sequence, position }: FrameOutput,
  offset: number,
  kind: FrameKind,
  height: number,
  bytes: Uint8Array,
): number {
  const view = viewOf(out);
  const end = offset + FRAME_HEADER_BYTES + bytes.length;
  view.setUint32(offset + 4, bytes.length);
  out[offset + 8] = kind === 'record' ? 1 : 2;
  view.setBigUint64(offset + 9, BigInt(height));
  out.set(bytes, offset + FRAME_HEADER_BYTES);
  view.setUint32(offset, crc32c(out, offset + 4, end) ^ placeOf(sequence, position + offset));
  return end;
}

const isHeaderWhole = (bytes: Uint8Array, sequence: number): boolean => {
  const expected = encodeSegmentHeader(sequence);
  return bytes.length >= expected.length && expected.every((byte, i) => bytes[i] === byte);
};

interface Scanning {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  readonly sequence: number;
  readonly frameBytesMax: number;
  /** Made for the first search: it tries many ranges that overlap. */
  ranges: RangeCrc | undefined;
}

/** The frame at `offset` and its end, or the reason why there is no valid frame. */
function frameAt(
  { bytes, view, sequence, frameBytesMax, ranges }: Scanning,
  offset: number,
): { readonly frame: Frame; readonly end: number } | SegmentFault['reason'] {
  if (bytes.length - offset < FRAME_HEADER_BYTES) return 'short frame';
  const length = view.getUint32(offset + 4);
  if (length > frameBytesMax) return 'length';
  const end = offset + FRAME_HEADER_BYTES + length;
  if (end > bytes.length) return 'short frame';
  const crc = ranges?.of(offset + 4, end) ?? crc32c(bytes, offset + 4, end);
  const checksum = (crc ^ placeOf(sequence, offset)) >>> 0;
  if (view.getUint32(offset) !== checksum) return 'checksum';
  const kind = bytes[offset + 8];
  if (kind !== 1 && kind !== 2) return 'kind';
  const height = Number(view.getBigUint64(offset + 9));
  if (!Number.isSafeInteger(height)) return 'height';
  const frame: Frame = {
    kind: kind === 1 ? 'record' : 'mark',
    height,
    bytes: bytes.subarray(offset + FRAME_HEADER_BYTES, end),
  };
  return { frame, end };
}

/**
 * Where the next valid frame after the fault at `offset` starts; undefined if there is none. Every offset is tried: the
 * faulty length says nothing, and a whole frame behind it means that more than an unfinished write was lost. What is
 * tried are bytes of transactions too, whose senders choose which lengths they claim.
 */
function nextWhole(scanning: Scanning, offset: number): number | undefined {
  const { bytes, view } = scanning;
  scanning.ranges ??= new RangeCrc(bytes);
  const isWhole = (at: number): boolean => typeof frameAt(scanning, at) !== 'string';
  // Usually the damaged frame's length is intact: skipping by it avoids mistaking its content for a frame.
  if (offset >= SEGMENT_HEADER_BYTES && offset + FRAME_HEADER_BYTES <= bytes.length) {
    const own = offset + FRAME_HEADER_BYTES + view.getUint32(offset + 4);
    if (own < bytes.length && isWhole(own)) return own;
  }
  for (let at = offset + 1; at + FRAME_HEADER_BYTES <= bytes.length; at++) {
    // A cheap check first: most positions have no valid kind.
    const kind = bytes[at + 8];
    if ((kind === 1 || kind === 2) && isWhole(at)) return at;
  }
  return undefined;
}

export interface SegmentScan {
  /** The valid frames before the first fault. */
  readonly frames: readonly Frame[];
  /** The first fault. */
  readonly fault: SegmentFault | undefined;
  /** Valid frames after the fault. Usable only if what is missing in between is known not to matter. */
  readonly later: readonly Frame[];
  /** End of the last valid frame; only an unfinished write can follow. */
  readonly end: number;
}

/** Reads a segment. Damaged bytes never make it throw. */
export function scanSegment(bytes: Uint8Array, sequence: number, frameBytesMax: number): SegmentScan {
  const scanning: Scanning = { bytes, view: viewOf(bytes), sequence, frameBytesMax, ranges: undefined };
  const frames: Frame[] = [];
  const later: Frame[] = [];
  let fault: SegmentFault | undefined;
  let offset = SEGMENT_HEADER_BYTES;
  let end = 0;
  if (isHeaderWhole(bytes, sequence)) end = offset;
  else {
    const next = nextWhole(scanning, -1);
    fault = { offset: 0, torn: next === undefined, reason: 'header' };
    offset = next ?? bytes.length;
  }
  while (offset < bytes.length) {
    const found = frameAt(scanning, offset);
    if (typeof found !== 'string') {
      (fault === undefined ? frames : later).push(found.frame);
      offset = found.end;
      end = offset;
      continue;
    }
    const next = nextWhole(scanning, offset);
    fault ??= { offset, torn: next === undefined, reason: found };
    offset = next ?? bytes.length;
  }
  return { frames, fault, later, end };
}
