import { closeSync, fsyncSync, openSync, readFileSync, rmSync } from 'node:fs';
import { BLOCK_BYTES_MAX } from '../../core/codec/limits.ts';
import type { LogRecord } from '../../core/node/contract.ts';
import type { LogLosses } from '../../core/node/silence.ts';
import type { OperatingError } from '../operatingError.ts';
import { fileError, isDiskFull, makeDir, onFile, openRewritten, syncDir } from './files.ts';
import type { DiskSpace } from './space.ts';
import {
  encodeSegmentHeader,
  FRAME_HEADER_BYTES,
  SEGMENT_HEADER_BYTES,
  scanSegment,
  writeFrame,
} from './walFormat.ts';
import { NODE_IO, type WalIo } from './walIo.ts';
import { loadLosses, settleLosses } from './walLosses.ts';
import { recoverLog, type Segment, segmentPath, type WalCut, type WalDamage } from './walRecovery.ts';

export interface WalOptions {
  /** Called once after a write or sync failed. Nothing is written afterwards, and no more callbacks are called. */
  readonly onFatal: (error: OperatingError) => void;
  /** Above this size a new segment starts. */
  readonly segmentBytesMax?: number;
  /** Finished heights are kept for replay up to this total size. */
  readonly keepBytesMax?: number;
  /** Largest record in bytes. A longer one is a bug of the caller; found on disk, it is damage. */
  readonly recordBytesMax?: number;
  readonly io?: WalIo;
  /** Asked before each burst, and awaited after a write fails on a full disk. Without it, a full disk is fatal. */
  readonly space?: Pick<DiskSpace, 'whenFree' | 'afterFailure'>;
}

const SEGMENT_BYTES_MAX = 4 * 1024 * 1024;
const KEEP_BYTES_MAX = 64 * 1024 * 1024;
/** The record of a proposed block holds all its transactions. */
const RECORD_BYTES_MAX = BLOCK_BYTES_MAX + 1024 * 1024;
/** Maximum marks that wait for the next burst. Only the newest matter, so older ones are dropped. */
const MARKS_WAITING_MAX = 16;

interface Burst {
  readonly records: readonly LogRecord[];
  readonly durable: () => void;
}

interface OpenSegment {
  readonly sequence: number;
  readonly path: string;
  readonly fd: number;
  bytes: number;
  heightMax: number;
}

/**
 * The node's WAL: appended in bursts, each with one write and one sync; read once, at start. A failed write or sync is
 * fatal, because the kernel may have dropped the pages and would report the next sync as successful (fsyncgate).
 */
export class Wal {
  readonly #dir: string;
  readonly #options: Required<Omit<WalOptions, 'space'>> & Pick<WalOptions, 'space'>;
  /** Full segments, oldest first. */
  #closed: Segment[];
  #open: OpenSegment;
  #waiting: Burst[] = [];
  #marks: number[] = [];
  #turnedOver: number;
  #records: readonly LogRecord[];
  #state: 'idle' | 'waiting' | 'writing' | 'failed' | 'closed' = 'idle';
  #whenIdle: (() => void)[] = [];
  /** Damage beyond an unfinished last write, found when opening. */
  readonly damage: WalDamage | undefined;
  /** An unfinished last write, found and cut off when opening. */
  readonly cut: WalCut | undefined;
  /** What this start removed from the log, or an earlier start that did not reach `forget`. */
  readonly losses: LogLosses;

  /** Opens or creates the log in `dir` and repairs its end. Throws OperatingError. */
  static open(dir: string, options: WalOptions): Wal {
    return onFile('open the log', dir, () => new Wal(dir, options));
  }

  private constructor(dir: string, options: WalOptions) {
    this.#dir = dir;
    this.#options = {
      segmentBytesMax: SEGMENT_BYTES_MAX,
      keepBytesMax: KEEP_BYTES_MAX,
      recordBytesMax: RECORD_BYTES_MAX,
      io: NODE_IO,
      ...options,
    };
    makeDir(dir);
    const { segments, turnedOver, records, damage, cut } = recoverLog(dir, this.#options.recordBytesMax);
    this.#turnedOver = turnedOver;
    this.#records = records;
    this.damage = damage;
    this.cut = cut;
    this.losses = loadLosses(dir);
    this.#closed = segments.slice(0, -1);
    const last = segments.at(-1);
    this.#open =
      last === undefined
        ? this.#create(1)
        : {
            sequence: last.sequence,
            path: last.path,
            fd: openRewritten(last.path),
            bytes: last.bytes,
            heightMax: last.heightMax,
          };
  }

  /** The height that the newest mark declares finished, found at open or written since; 0 without a mark. */
  get turnedOver(): number {
    return this.#turnedOver;
  }

  /** The records above the finished heights that were found at open, oldest first. Kept until `forget`. */
  records(): readonly LogRecord[] {
    return this.#records;
  }

  /** Call when recovery is complete and `losses` are remembered elsewhere. Frees the recovered records. */
  forget(): void {
    this.#records = [];
    onFile('settle', this.#dir, () => settleLosses(this.#dir));
  }

  /** Every record on disk, including finished heights; for replaying the log of a stopped node. */
  *history(): IterableIterator<LogRecord> {
    for (const { path, sequence } of [...this.#closed, this.#open]) {
      const bytes = onFile('read', path, () => readFileSync(path));
      const { frames, later } = scanSegment(bytes, sequence, this.#options.recordBytesMax);
      for (const frame of [...frames, ...later]) {
        if (frame.kind === 'record') yield { height: frame.height, bytes: new Uint8Array(frame.bytes) };
      }
    }
  }

  /**
   * Calls `durable` in a later turn, when the records would survive a power failure. Callbacks come in the order of the
   * calls.
   */
  append(records: readonly LogRecord[], durable: () => void): void {
    if (this.#state === 'failed' || this.#state === 'closed') return;
    for (const { bytes } of records) {
      if (bytes.length > this.#options.recordBytesMax)
        throw new RangeError(`log record of ${bytes.length} bytes`);
    }
    this.#waiting.push({ records, durable });
    if (this.#state === 'idle') this.#flush();
  }

  /**
   * Marks all heights up to `height` as stored. The mark is written with the next burst. Losing it does no harm,
   * because the store knows its own height.
   */
  turnover(height: number): void {
    if (height <= this.#turnedOver) return;
    this.#turnedOver = height;
    this.#marks.push(height);
    if (this.#marks.length > MARKS_WAITING_MAX) this.#marks.shift();
  }

  /** Waits for the running burst, writes the marks and closes. */
  async close(): Promise<void> {
    if (this.#state === 'idle' && this.#marks.length > 0) this.append([], () => {});
    // A burst that waits for disk space is dropped: its `durable` was not called, so nobody relies on it.
    if (this.#state === 'waiting') this.#state = 'idle';
    if (this.#state === 'writing') await new Promise<void>((resolve) => this.#whenIdle.push(resolve));
    if (this.#state === 'idle') {
      this.#state = 'closed';
      onFile('close', this.#open.path, () => closeSync(this.#open.fd));
    }
  }

  #flush(): void {
    const wait = this.#options.space?.whenFree();
    if (wait === undefined) {
      this.#flushNow();
      return;
    }
    this.#state = 'waiting';
    void wait.then(() => {
      if (this.#state === 'waiting') this.#flush();
    });
  }

  #flushNow(): void {
    this.#state = 'writing';
    let size = this.#marks.length * FRAME_HEADER_BYTES;
    for (const { records } of this.#waiting)
      for (const { bytes } of records) size += FRAME_HEADER_BYTES + bytes.length;
    const isFull = this.#open.bytes + size > this.#options.segmentBytesMax;
    try {
      if (isFull && this.#open.bytes > SEGMENT_HEADER_BYTES) this.#rotate();
    } catch (error) {
      this.#onWriteError(error, () => this.#flush());
      return;
    }
    this.#writeWaiting(size);
  }

  #writeWaiting(size: number): void {
    const [bursts, marks] = [this.#waiting, this.#marks];
    [this.#waiting, this.#marks] = [[], []];
    try {
      const data = this.#encode(size, marks, bursts);
      for (const { records } of bursts) for (const { height } of records) this.#raise(height);
      this.#write(data, 0, bursts);
    } catch (error) {
      this.#fail(error);
    }
  }

  #raise(height: number): void {
    if (height > this.#open.heightMax) this.#open.heightMax = height;
  }

  /** The bytes to append to the open segment. */
  #encode(size: number, marks: readonly number[], bursts: readonly Burst[]): Uint8Array {
    const { sequence, bytes: position } = this.#open;
    const out = { bytes: new Uint8Array(size), sequence, position };
    let offset = 0;
    for (const height of marks) offset = writeFrame(out, offset, 'mark', height, new Uint8Array(0));
    for (const { records } of bursts) {
      for (const { height, bytes } of records) offset = writeFrame(out, offset, 'record', height, bytes);
    }
    return out.bytes;
  }

  #write(data: Uint8Array, from: number, bursts: readonly Burst[]): void {
    const { io } = this.#options;
    const { fd, bytes } = this.#open;
    let done = from;
    try {
      while (done < data.length) done += io.write(fd, data, done, bytes + done);
    } catch (error) {
      this.#onWriteError(error, () => this.#write(data, done, bursts));
      return;
    }
    io.sync(fd, (failed) => {
      if (failed !== null) return this.#fail(failed);
      this.#open.bytes += data.length;
      this.#settle(bursts);
    });
  }

  /**
   * Bytes not written on a full disk are no damage: nobody relies on them, and they are written again at the same
   * place.
   */
  #onWriteError(error: unknown, again: () => void): void {
    const { space } = this.#options;
    if (space === undefined || !isDiskFull(error)) {
      this.#fail(error);
      return;
    }
    this.#state = 'waiting';
    void space.afterFailure().then(() => {
      if (this.#state !== 'waiting') return;
      this.#state = 'writing';
      again();
    });
  }

  #settle(bursts: readonly Burst[]): void {
    this.#state = 'idle';
    for (const { durable } of bursts) durable();
    // A callback may have appended and so started the next burst.
    if (this.#state !== 'idle') return;
    if (this.#waiting.length > 0) {
      this.#flush();
      return;
    }
    const resolvers = this.#whenIdle;
    this.#whenIdle = [];
    for (const resolve of resolvers) resolve();
  }

  #fail(error: unknown): void {
    this.#state = 'failed';
    this.#waiting = [];
    for (const resolve of this.#whenIdle) resolve();
    this.#options.onFatal(fileError('write the log', this.#open.path, error));
  }

  #create(sequence: number): OpenSegment {
    const path = segmentPath(this.#dir, sequence);
    const fd = openSync(path, 'wx+', 0o600);
    try {
      const header = encodeSegmentHeader(sequence);
      for (let done = 0; done < header.length; ) done += this.#options.io.write(fd, header, done, done);
      fsyncSync(fd);
      syncDir(this.#dir);
    } catch (error) {
      // On a full disk it is made again when there is room.
      closeSync(fd);
      rmSync(path);
      throw error;
    }
    return { sequence, path, fd, bytes: SEGMENT_HEADER_BYTES, heightMax: 0 };
  }

  /** Starts a new segment and removes the oldest ones that neither recovery nor replay needs. */
  #rotate(): void {
    const { sequence, path, bytes, heightMax, fd } = this.#open;
    this.#open = this.#create(sequence + 1);
    this.#closed.push({ sequence, path, bytes, heightMax });
    closeSync(fd);
    let kept = this.#closed.reduce((sum, segment) => sum + segment.bytes, 0);
    const all = this.#closed;
    for (const segment of all) {
      if (kept <= this.#options.keepBytesMax || segment.heightMax > this.#turnedOver) break;
      rmSync(segment.path);
      this.#closed = this.#closed.slice(1);
      kept -= segment.bytes;
    }
    if (this.#closed !== all) syncDir(this.#dir);
  }
}
