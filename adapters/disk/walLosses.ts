/**
 * Records what a repair removes from the log, before the repair: if the process ends in between, the next start finds a
 * log that looks complete, but must know of the loss. Kept until the node has acted on it.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type LogLosses, NO_LOSSES } from '../../core/node/silence.ts';
import { replaceFile, syncDir } from './files.ts';

const fileOf = (dir: string): string => join(dir, 'losses.json');

export function loadLosses(dir: string): LogLosses {
  const file = fileOf(dir);
  if (!existsSync(file)) return NO_LOSSES;
  try {
    const { cut, lossy } = JSON.parse(readFileSync(file, 'utf8')) as Partial<LogLosses>;
    return { cut: cut !== false, lossy: lossy !== false };
  } catch {
    return { cut: true, lossy: true };
  }
}

/** Adds to the recorded losses; durable when it returns. */
export function noteLosses(dir: string, more: Partial<LogLosses>): void {
  const known = loadLosses(dir);
  const all: LogLosses = { cut: known.cut || more.cut === true, lossy: known.lossy || more.lossy === true };
  if (all.cut === known.cut && all.lossy === known.lossy) return;
  replaceFile(fileOf(dir), Buffer.from(`${JSON.stringify(all)}\n`));
}

export function settleLosses(dir: string): void {
  if (!existsSync(fileOf(dir))) return;
  rmSync(fileOf(dir));
  syncDir(dir);
}
