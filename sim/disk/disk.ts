/**
 * The disk of one simulated node; it outlives crashes.
 *
 * Three things lie on it, with the guarantees the real adapters give:
 * - the log: bytes appended are in flight until the sync that makes them durable; a crash keeps, cuts or shreds what
 *   is in flight (disk/powerLoss.ts), and recovery keeps the records before the first damage;
 * - the database: a batch is one checksummed record, so it is there whole or not at all; `batch` resolves after it is
 *   durable. A crash can come just before it or just after it, never inside;
 * - the signer's guard: written and synced before the signature it guards exists.
 *
 * Beyond what power cuts do, the drive itself can fail (`damage`): bits that rot, values under foreign keys, batches
 * that were lost, reads that are stale, syncs that fail, no room, stalls. An operator can put back an old copy of the
 * guard. Not modelled: directory entries.
 */

import type { LogDamage } from '../scenario/scenario.ts';
import type { ChoiceStream } from '../world/choices.ts';
import { DB_FAULTS, type DbFault, KvDisk } from './kvDisk.ts';
import { LogFile } from './logFile.ts';
import type { PowerLoss } from './powerLoss.ts';

export type LogFault = 'torn' | 'flip' | 'truncate';
/**
 * Faults of the writes that a running node waits for, which are records of the log and batches of blocks:
 * - `eio`: the next sync fails, and what it should have made durable may be lost;
 * - `full`: nothing is written while there is no room. A write looks for room every `ROOM_MICROS`;
 * - `slow`: each write takes `SLOW_MICROS` longer.
 * The guard, and what a start writes, always find room.
 */
export type DeviceFault = 'eio' | 'full' | 'slow';
/** `old_copy`: somebody restores the last-signed state as it was when the node last started. */
export type SignerFault = 'old_copy';
export type DiskFaultKind = LogFault | DbFault | SignerFault | DeviceFault;

export const LOG_FAULTS: readonly LogFault[] = ['torn', 'flip', 'truncate'];
export const DEVICE_FAULTS: readonly DeviceFault[] = ['eio', 'full', 'slow'];
export const SIGNER_FAULTS: readonly SignerFault[] = ['old_copy'];
export const DISK_FAULTS: readonly DiskFaultKind[] = [
  ...LOG_FAULTS,
  ...DB_FAULTS,
  ...SIGNER_FAULTS,
  ...DEVICE_FAULTS,
];

/** Extra time of a write on a slow disk. */
export const SLOW_MICROS = 2_000_000;
/** Interval between two looks for room on a full disk. */
export const ROOM_MICROS = 500_000;

const isOneOf = <T extends DiskFaultKind>(fault: DiskFaultKind, list: readonly T[]): fault is T =>
  list.some((one) => one === fault);

export class Disk<Guard> {
  readonly log = new LogFile();
  readonly kv = new KvDisk();
  /** What the signer remembers; undefined before it was opened first. */
  guard: Guard | undefined;
  /** A copy of it from the last start of the node. */
  #guardCopy: Guard | undefined;
  /** The next sync fails. */
  failsNext = false;
  isSlow = false;
  /** Writes begun before a fault ended are done by this time, in virtual microseconds. */
  lateUntil = 0;
  /** The drive has broken a promise: its node may have to stop, and no checker relies on its stores. */
  isDamaged = false;
  /** How often it has lost log records that it had reported as durable. A lock may be gone, and the node cannot know. */
  forgets = 0;
  /** It has lost some of the log, and no start has read the rest yet. */
  hasUnreadLoss = false;
  /** How often the disk was replaced. */
  wipes = 0;

  crash(loss: PowerLoss, choices: ChoiceStream): void {
    this.log.crash(loss, choices);
  }

  /** Its node has stopped cleanly. */
  close(): void {
    this.log.close();
  }

  /** The node starts: whoever makes a copy of its files makes it now. */
  copyGuard(): void {
    this.#guardCopy = this.guard;
  }

  get isFull(): boolean {
    return this.log.isFull;
  }

  /**
   * @param isRunning Whether a node runs on it: its log then lies in memory and cannot be edited from outside.
   * @param onRead Called when the node reads what a fault of `READ_FAULTS` has damaged.
   * @returns Whether anything is damaged now that was not before.
   */
  damage(
    fault: DiskFaultKind,
    choices: ChoiceStream,
    isRunning: boolean,
    where: LogDamage = {},
    onRead?: () => void,
  ): boolean {
    if (isOneOf(fault, LOG_FAULTS)) return !isRunning && this.#damageLog(fault, choices, where);
    if (isOneOf(fault, DB_FAULTS)) {
      if (fault === 'lost_batch' && isRunning) return false;
      const isChanged = this.kv.damage(fault, choices, onRead);
      this.isDamaged ||= isChanged;
      return isChanged;
    }
    if (isOneOf(fault, SIGNER_FAULTS)) return !isRunning && this.#restoreGuard();
    if (fault === 'eio') {
      this.failsNext = true;
      this.isDamaged = true;
    } else if (fault === 'full') this.log.isFull = true;
    else this.isSlow = true;
    return true;
  }

  /** The time by which a write of now is durable at the latest, as far as faults go. */
  syncedBy(now: number): number {
    return this.isSlow ? now + SLOW_MICROS : Math.max(now, this.lateUntil);
  }

  /**
   * Ends a fault that has a duration, at `now`.
   * @returns Whether it was still there: a new disk has no faults.
   */
  repair(fault: DiskFaultKind, now: number): boolean {
    const was = fault === 'full' ? this.isFull : this.isSlow;
    if (fault === 'full') {
      this.log.isFull = false;
      this.lateUntil = Math.max(this.lateUntil, now + ROOM_MICROS);
    } else if (fault === 'slow') {
      this.isSlow = false;
      this.lateUntil = Math.max(this.lateUntil, now + SLOW_MICROS);
    }
    return was;
  }

  #restoreGuard(): boolean {
    if (this.guard === this.#guardCopy) return false;
    this.guard = this.#guardCopy;
    this.isDamaged = true;
    return true;
  }

  #damageLog(fault: LogFault, choices: ChoiceStream, { at, keep }: LogDamage): boolean {
    const { log } = this;
    const { size } = log;
    if (fault === 'truncate') {
      log.truncate(size);
      return size > 0;
    }
    if (size === 0) return false;
    if (at === undefined && keep === undefined) {
      if (fault === 'torn') log.truncate(choices.choose(log.lastRecordBytes + 1));
      else log.flip(choices.choose(size * 8));
    } else {
      const records = log.records;
      if (records.length === 0) return false;
      const index =
        at === 'any_record' ? choices.choose(records.length) : at === 'first_record' ? 0 : records.length - 1;
      const { start, end } = records[index] as (typeof records)[number];
      if (fault === 'flip') log.flip(start * 8 + choices.choose((end - start) * 8));
      else log.truncate(size - start - Math.min(keep ?? choices.choose(end - start), end - start));
    }
    const isDamaged = fault === 'flip' || log.size < size;
    this.hasUnreadLoss ||= isDamaged;
    return isDamaged;
  }

  /** A new, empty disk: what a node finds after its machine was replaced. */
  wipe(): void {
    this.log.recover();
    this.log.truncate(this.log.size);
    this.kv.wipe();
    this.guard = undefined;
    this.#guardCopy = undefined;
    this.failsNext = false;
    this.log.isFull = false;
    this.isSlow = false;
    this.isDamaged = false;
    this.forgets++;
    this.wipes++;
  }
}
