import { type Bytes, concat, EMPTY } from '../../core/lib/bytes.ts';
import type { LogRecord } from '../../core/node/contract.ts';
import type { Height } from '../../core/types/ids.ts';
import type { ChoiceStream } from '../world/choices.ts';
import { frameRecord, readRecord } from './frame.ts';
import { type PowerLoss, survivors } from './powerLoss.ts';

export interface Recovery {
  readonly records: readonly LogRecord[];
  /** Bytes behind the last whole record, cut off and forgotten. */
  readonly tornBytes: number;
  /** Whole records lie behind the damage: more than an unfinished write is lost, and the node can tell. */
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
  /** What lies behind the synced records after a crash or a fault, not yet read by a recovery. */
  #tail: Bytes = EMPTY;

  append(records: readonly LogRecord[]): void {
    for (const record of records) this.#pending.push(record);
  }

  sync(): void {
    for (const record of this.#pending) this.#synced.push(record);
    this.#pending = [];
  }

  /** Forgets records up to `height`. Only synced ones: those in flight are of the next height. */
  turnover(height: Height): void {
    this.#synced = this.#synced.filter((record) => record.height > height);
  }

  crash(loss: PowerLoss, choices: ChoiceStream): void {
    const pending = concat(...this.#pending.map(frameRecord));
    this.#pending = [];
    this.#tail = concat(this.#tail, survivors(pending, loss, choices));
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

  /** Bytes of the last record of a stopped node's file, 0 when it is empty. */
  get lastRecordBytes(): number {
    if (this.#tail.length > 0) return this.#tail.length;
    const last = this.#synced.at(-1);
    return last === undefined ? 0 : frameRecord(last).length;
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
