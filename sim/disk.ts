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
 * Not modelled yet: directory entries, misdirected writes, stale reads, failing fsync.
 */
import type { ChoiceStream } from './choices.ts';
import { KvDisk } from './disk/kvDisk.ts';
import { LogFile } from './disk/logFile.ts';
import type { PowerLoss } from './disk/powerLoss.ts';

export class Disk<Guard> {
  readonly log = new LogFile();
  readonly kv = new KvDisk();
  /** What the signer signed last; undefined before the first signature. */
  guard: Guard | undefined;

  crash(loss: PowerLoss, choices: ChoiceStream): void {
    this.log.crash(loss, choices);
  }

  /** A new, empty disk: what a node finds after its machine was replaced. */
  wipe(): void {
    this.log.recover();
    this.log.truncate(this.log.size);
    this.kv.wipe();
    this.guard = undefined;
  }
}
