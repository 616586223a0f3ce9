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

const SEGMENT_NAME = /^(\d{12})\.wal$/;
/** Copies of one damaged segment that are kept; a further one replaces the last. */
const COPIES_MAX = 8;

export interface Segment {
  readonly sequence: number;
  readonly path: string;
  readonly bytes: number;
  /** Highest height of any frame in it, 0 when it has none. */
  readonly heightMax: number;
}

/** Damage that is more than a write cut short by a crash. */
export interface WalDamage {
  readonly path: string;
  readonly offset: number;
  readonly reason: string;
  /** Where the damaged bytes were kept. */
  readonly copy: string;
  /** Records of heights that are still needed may be gone: the node must not vote in a height it voted in before. */
  readonly lossy: boolean;
}

export interface Recovered {
  readonly segments: readonly Segment[];
  /** Heights that the last mark declares finished; 0 without a mark. */
  readonly turnedOver: number;
  readonly records: readonly { readonly height: number; readonly bytes: Uint8Array }[];
  readonly damage: WalDamage | undefined;
}

export const segmentPath = (dir: string, sequence: number): string =>
  join(dir, `${String(sequence).padStart(12, '0')}.wal`);

/** Sequence numbers of the segment files in `dir`, ascending. */
export function listSegments(dir: string): number[] {
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
}

function scanFile(dir: string, sequence: number, frameBytesMax: number): Scanned {
  const path = segmentPath(dir, sequence);
  const bytes = readFileSync(path);
  const { frames, fault } = scanSegment(bytes, sequence, frameBytesMax);
  return { sequence, path, bytes: bytes.length, heightMax: highest(frames), frames, fault };
}

const highest = (frames: readonly Frame[]): number =>
  frames.reduce((max, frame) => Math.max(max, frame.height), 0);

const lastMark = (frames: readonly Frame[]): number =>
  frames.reduce((max, frame) => (frame.kind === 'mark' ? Math.max(max, frame.height) : max), 0);

/** A free name beside `path` for its damaged bytes. */
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
 * Reads the log of `dir` and repairs it: what follows the whole prefix is cut off. An unfinished write at the end is
 * the ordinary trace of a crash and goes silently; other damage is kept in a `.CORRUPTED` copy and reported.
 */
export function recoverLog(dir: string, frameBytesMax: number): Recovered {
  const scanned = markGaps(listSegments(dir).map((sequence) => scanFile(dir, sequence, frameBytesMax)));
  const at = scanned.findIndex((segment) => segment.fault !== undefined);
  if (at === -1) return recovered(scanned, undefined);
  const broken = scanned[at] as Scanned;
  if (at === scanned.length - 1 && broken.fault?.torn === true) {
    return recovered(cutTail(dir, scanned, at), undefined);
  }
  const later = scanned.slice(at + 1);
  if (later.every((segment) => segment.fault === undefined) && isHistory(later)) {
    const { path, fault } = broken;
    const damage = {
      path,
      offset: fault?.offset ?? 0,
      reason: fault?.reason ?? '',
      copy: path,
      lossy: false,
    };
    return recovered(scanned, damage);
  }
  return cutDamage(dir, scanned, at);
}

/** A missing segment in the middle is damage of the one after the gap. */
function markGaps(scanned: readonly Scanned[]): Scanned[] {
  return scanned.map((segment, i) => {
    const before = scanned[i - 1];
    if (before === undefined || before.sequence === segment.sequence - 1) return segment;
    return {
      ...segment,
      frames: [],
      fault: { offset: 0, torn: false, reason: 'a segment before it is missing' },
    };
  });
}

/**
 * Whether damage before these segments concerns finished heights only. The mark of a height comes after every record
 * of the height below it; so with two marks after the damage, all records above the last mark are after it as well.
 */
function isHistory(later: readonly Scanned[]): boolean {
  const marks = new Set<number>();
  for (const { frames } of later)
    for (const frame of frames) if (frame.kind === 'mark') marks.add(frame.height);
  return marks.size >= 2;
}

/** Drops an unfinished write. A segment without a whole header holds nothing and goes as a file. */
function cutTail(dir: string, scanned: readonly Scanned[], at: number): readonly Scanned[] {
  const { path, fault, frames, sequence, heightMax } = scanned[at] as Scanned;
  const end = fault?.offset ?? 0;
  if (end < SEGMENT_HEADER_BYTES) {
    rmSync(path);
    syncDir(dir);
    return scanned.slice(0, at);
  }
  truncateFile(path, end);
  return [...scanned.slice(0, at), { sequence, path, bytes: end, heightMax, frames, fault: undefined }];
}

/** Keeps a copy of everything from the damage on, and goes on with the whole prefix. */
function cutDamage(dir: string, scanned: readonly Scanned[], at: number): Recovered {
  const { path, fault } = scanned[at] as Scanned;
  const copy = copyName(path);
  copyFileSync(path, copy);
  for (const later of scanned.slice(at + 1)) renameSync(later.path, copyName(later.path));
  syncDir(dirname(path));
  const kept = cutTail(dir, scanned.slice(0, at + 1), at);
  const damage = {
    path,
    offset: fault?.offset ?? 0,
    reason: fault?.reason ?? '',
    copy: basename(copy),
    lossy: true,
  };
  return recovered(kept, damage);
}

function recovered(scanned: readonly Scanned[], damage: WalDamage | undefined): Recovered {
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
  return { segments, turnedOver, records, damage };
}
