import { type Bytes, concat, EMPTY } from '../../core/lib/bytes.ts';
import type { LogRecord } from '../../core/node/contract.ts';
import type { Height } from '../../core/types/ids.ts';
import type { ChoiceStream } from '../world/choices.ts';
import { frameRecord, readRecord } from './frame.ts';
import { type PowerLoss, survivors } from './powerLoss.ts';

export interface Recovery {
  readonly records: readonly LogRecord[];
  /** Bytes behind the last whole record, which recovery cuts off. */
  readonly tornBytes: number;
  /** Whole records lie behind the damage: more was lost than an unfinished write, and the node can tell. */
  readonly lossy: boolean;
}

/**
 * The node's log on the simulated disk: the synced part and the part in flight. A crash decides what becomes of the
 * part in flight; recovery keeps the records before the first damage. Records become framed bytes only when bytes
 * matter: at a crash, a fault or a recovery.
 */
export class LogFile {
  #synced: LogRecord[] = [];
  #pending: LogRecord[] = [];
  /** Bytes behind the synced records after a crash or a fault, until a recovery reads them. */
  #tail: Bytes = EMPTY;
  /** How many records in flight have room; undefined: all have. */
  #roomFor: number | undefined;

  get isFull(): boolean {
    return this.#roomFor !== undefined;
  }

  /** Set: there is no room for what is appended from now on. Cleared: there is room for everything again. */
  set isFull(isFull: boolean) {
    this.#roomFor = isFull ? (this.#roomFor ?? this.#pending.length) : undefined;
  }

  append(records: readonly LogRecord[]): void {
    for (const record of records) this.#pending.push(record);
  }

  sync(): void {
    for (const record of this.#pending) this.#synced.push(record);
    this.#pending = [];
  }

  /** Forgets synced records up to `height`. Those in flight belong to the next height. */
  turnover(height: Height): void {
    this.#synced = this.#synced.filter((record) => record.height > height);
  }

  crash(loss: PowerLoss, choices: ChoiceStream): void {
    const pending = concat(...this.#leave().map(frameRecord));
    this.#tail = concat(this.#tail, survivors(pending, loss, choices));
  }

  /** The process ends cleanly. */
  close(): void {
    for (const record of this.#leave()) this.#synced.push(record);
  }

  /** Takes out the records in flight that have room. The others exist in memory only. */
  #leave(): readonly LogRecord[] {
    const written = this.#pending.slice(0, this.#roomFor);
    this.#pending = [];
    if (this.#roomFor !== undefined) this.#roomFor = 0;
    return written;
  }

  /** Reads the file as a starting node does, and cuts off what is torn. */
  recover(): Recovery {
    const bytes = this.#image();
    this.#synced = [];
    this.#tail = EMPTY;
    let at = 0;
    for (;;) {
      const found = readRecord(bytes, at);
      if (found === undefined) {
        const tornBytes = bytes.length - at;
        return { records: [...this.#synced], tornBytes, lossy: hasRecordAfter(bytes, at) };
      }
      this.#synced.push(found.record);
      at = found.end;
    }
  }

  /** Cuts so many bytes off the end of a stopped node's file: a torn tail. */
  truncate(bytes: number): void {
    const image = this.#image();
    this.#replace(image.slice(0, Math.max(0, image.length - bytes)));
  }

  /** Inverts one bit of a stopped node's file. */
  flip(bit: number): void {
    const image = this.#image();
    if (image.length === 0) return;
    const at = (bit >>> 3) % image.length;
    image[at] = (image[at] as number) ^ (1 << (bit & 7));
    this.#replace(image);
  }

  /** Bytes in a stopped node's file. */
  get size(): number {
    return this.#image().length;
  }

  /** Bytes from the beginning of the last whole record of a stopped node's file to its end. */
  get lastRecordBytes(): number {
    return this.size - (this.records.at(-1)?.start ?? 0);
  }

  /** Where the whole records of a stopped node's file lie. */
  get records(): readonly { readonly start: number; readonly end: number }[] {
    const bytes = this.#image();
    const places: { readonly start: number; readonly end: number }[] = [];
    for (let start = 0; ; ) {
      const found = readRecord(bytes, start);
      if (found === undefined) return places;
      places.push({ start, end: found.end });
      start = found.end;
    }
  }

  #image(): Bytes {
    return concat(...this.#synced.map(frameRecord), this.#tail);
  }

  #replace(image: Bytes): void {
    this.#synced = [];
    this.#tail = image;
  }
}

function hasRecordAfter(bytes: Bytes, at: number): boolean {
  for (let next = at + 1; next < bytes.length; next++) {
    if (readRecord(bytes, next) !== undefined) return true;
  }
  return false;
}
