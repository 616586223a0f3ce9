import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { syncDir } from './files.ts';
import { type Frame, SEGMENT_HEADER_BYTES, type SegmentFault, scanSegment } from './walFormat.ts';
import { noteLosses } from './walLosses.ts';

const SEGMENT_NAME = /^(\d{12})\.wal$/;
/** Maximum copies of one damaged segment; a further copy replaces the last. */
const COPIES_MAX = 8;

export interface Segment {
  readonly sequence: number;
  readonly path: string;
  readonly bytes: number;
  /** Highest height of any frame in the segment; 0 without frames. */
  readonly heightMax: number;
}

/** Damage beyond a write that a crash cut short. */
export interface WalDamage {
  readonly path: string;
  readonly offset: number;
  readonly reason: string;
  /** File name of the copy of the damaged bytes. */
  readonly copy: string;
  /**
   * Records of heights that are still needed may be missing: the node must not vote in a height in which it may have
   * voted.
   */
  readonly lossy: boolean;
}

export interface Recovered {
  readonly segments: readonly Segment[];
  /** The height that the last mark declares finished; 0 without a mark. */
  readonly turnedOver: number;
  readonly records: readonly { readonly height: number; readonly bytes: Uint8Array }[];
  readonly damage: WalDamage | undefined;
  /** An unfinished write at the end, which was cut off. */
  readonly cut: WalCut | undefined;
}

/** An unfinished write, the usual effect of a power failure: nothing that depended on these bytes was ever sent. */
export interface WalCut {
  readonly path: string;
  readonly offset: number;
  readonly bytes: number;
}

export const segmentPath = (dir: string, sequence: number): string =>
  join(dir, `${String(sequence).padStart(12, '0')}.wal`);

/** Sequence numbers of the segment files in `dir`, ascending. */
function listSegments(dir: string): number[] {
  const found: number[] = [];
  for (const name of readdirSync(dir)) {
    const match = SEGMENT_NAME.exec(name);
    if (match !== null) found.push(Number(match[1]));
  }
  return found.sort((a, b) => a - b);
}

interface Scanned extends Segment {
  readonly frames: readonly Frame[];
  readonly fault: (Omit<SegmentFault, 'reason'> & { readonly reason: string }) | undefined;
  /** Valid frames after the fault; `end` is the end of the last one. */
  readonly later: readonly Frame[];
  readonly end: number;
}

function scanFile(dir: string, sequence: number, frameBytesMax: number): Scanned {
  const path = segmentPath(dir, sequence);
  const bytes = readFileSync(path);
  const { frames, fault, later, end } = scanSegment(bytes, sequence, frameBytesMax);
  const heightMax = Math.max(highest(frames), highest(later));
  return { sequence, path, bytes: bytes.length, heightMax, frames, fault, later, end };
}

const highest = (frames: readonly Frame[]): number =>
  frames.reduce((max, frame) => Math.max(max, frame.height), 0);

const lastMark = (frames: readonly Frame[]): number =>
  frames.reduce((max, frame) => (frame.kind === 'mark' ? Math.max(max, frame.height) : max), 0);

/** An unused name next to `path` for a copy of its damaged bytes. */
function copyName(path: string): string {
  for (let i = 0; i < COPIES_MAX; i++) {
    const name = i === 0 ? `${path}.CORRUPTED` : `${path}.CORRUPTED.${i}`;
    if (!existsSync(name)) return name;
  }
  return `${path}.CORRUPTED.${COPIES_MAX - 1}`;
}

function truncateFile(path: string, bytes: number): void {
  const fd = openSync(path, 'r+');
  try {
    ftruncateSync(fd, bytes);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/**
 * Reads and repairs the log in `dir`. An unfinished write at the end is cut off. Damage in finished heights stays as it
 * is. After any other damage, only the valid prefix is used, and the rest is kept in a `.CORRUPTED` copy.
 */
export function recoverLog(dir: string, frameBytesMax: number): Recovered {
  const scanned = markGaps(listSegments(dir).map((sequence) => scanFile(dir, sequence, frameBytesMax)));
  const at = scanned.findIndex((segment) => segment.fault !== undefined);
  if (at === -1) return recovered(scanned, undefined, undefined);
  const broken = scanned[at] as Scanned;
  const { path, fault } = broken;
  if (at === scanned.length - 1 && fault?.torn === true) {
    const offset = fault.offset;
    const cut = { path, offset, bytes: broken.bytes - offset };
    noteLosses(dir, { cut: true });
    return recovered(cutTail(dir, scanned, at, offset), undefined, cut);
  }
  const after = scanned.slice(at + 1);
  const last = scanned.at(-1) as Scanned;
  const isReadable = after.every((segment) => segment.fault === undefined || segment === last);
  if (isReadable && isHistory([broken.later, ...after.flatMap(({ frames, later }) => [frames, later])])) {
    const { offset, reason } = fault as SegmentFault;
    const damage = { path, offset, reason, copy: path, lossy: false };
    const whole = scanned.map((one) => ({ ...one, frames: [...one.frames, ...one.later] }));
    if (last.end === last.bytes) return recovered(whole, damage, undefined);
    const cut = { path: last.path, offset: last.end, bytes: last.bytes - last.end };
    noteLosses(dir, { cut: true });
    return recovered(cutTail(dir, whole, whole.length - 1, last.end), damage, cut);
  }
  return cutDamage(dir, scanned, at);
}

/** A missing segment in the middle counts as damage of the segment after the gap. */
function markGaps(scanned: readonly Scanned[]): Scanned[] {
  return scanned.map((segment, i) => {
    const before = scanned[i - 1];
    if (before === undefined || before.sequence === segment.sequence - 1) return segment;
    return {
      ...segment,
      frames: [],
      later: segment.frames,
      fault: { offset: 0, torn: false, reason: 'a segment before it is missing' },
    };
  });
}

/**
 * Whether damage before these frames affects only finished heights. The mark of a height is written after all records
 * of the height below it. So with two marks after the damage, all records above the last mark also come after it.
 */
function isHistory(after: readonly (readonly Frame[])[]): boolean {
  const marks = new Set<number>();
  for (const frames of after) for (const frame of frames) if (frame.kind === 'mark') marks.add(frame.height);
  return marks.size >= 2;
}

/** Cuts off an unfinished write. A segment without a complete header contains nothing, so its file is removed. */
function cutTail(dir: string, scanned: readonly Scanned[], at: number, end: number): readonly Scanned[] {
  const broken = scanned[at] as Scanned;
  const { path } = broken;
  if (end < SEGMENT_HEADER_BYTES) {
    rmSync(path);
    syncDir(dir);
    return scanned.slice(0, at);
  }
  truncateFile(path, end);
  return [...scanned.slice(0, at), { ...broken, bytes: end, heightMax: highest(broken.frames) }];
}

/** Copies everything from the damage on, and continues with the valid prefix. */
function cutDamage(dir: string, scanned: readonly Scanned[], at: number): Recovered {
  const { path, fault } = scanned[at] as Scanned;
  const copy = copyName(path);
  noteLosses(dir, { lossy: true });
  copyFileSync(path, copy);
  for (const later of scanned.slice(at + 1)) renameSync(later.path, copyName(later.path));
  syncDir(dirname(path));
  const kept = cutTail(dir, scanned.slice(0, at + 1), at, fault?.offset ?? 0);
  const damage = {
    path,
    offset: fault?.offset ?? 0,
    reason: fault?.reason ?? '',
    copy: basename(copy),
    lossy: true,
  };
  return recovered(kept, damage, undefined);
}

function recovered(
  scanned: readonly Scanned[],
  damage: WalDamage | undefined,
  cut: WalCut | undefined,
): Recovered {
  const turnedOver = Math.max(0, ...scanned.map((segment) => lastMark(segment.frames)));
  const records = scanned.flatMap((segment) =>
    segment.frames
      .filter((frame) => frame.kind === 'record' && frame.height > turnedOver)
      .map((frame) => ({ height: frame.height, bytes: new Uint8Array(frame.bytes) })),
  );
  const segments = scanned.map(({ sequence, path, bytes, heightMax }) => ({
    sequence,
    path,
    bytes,
    heightMax,
  }));
  return { segments, turnedOver, records, damage, cut };
}
