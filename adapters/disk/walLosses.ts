/**
 * What a repair took from the log, written down before the repair: a process that ends between the two finds a log
 * that looks whole, and must know all the same. Kept until whoever has to draw conclusions has drawn them.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile, syncDir } from './files.ts';

export interface WalLosses {
  /** The end was cut off. */
  readonly cut: boolean;
  /** Records of heights that are still needed may be gone. */
  readonly lossy: boolean;
}

export const NO_LOSSES: WalLosses = { cut: false, lossy: false };

const fileOf = (dir: string): string => join(dir, 'losses.json');

export function loadLosses(dir: string): WalLosses {
  const file = fileOf(dir);
  if (!existsSync(file)) return NO_LOSSES;
  try {
    const { cut, lossy } = JSON.parse(readFileSync(file, 'utf8')) as Partial<WalLosses>;
    return { cut: cut !== false, lossy: lossy !== false };
  } catch {
    return { cut: true, lossy: true };
  }
}

/** Adds to what is known to be lost; durable before it returns. */
export function noteLosses(dir: string, more: Partial<WalLosses>): void {
  const known = loadLosses(dir);
  const all: WalLosses = { cut: known.cut || more.cut === true, lossy: known.lossy || more.lossy === true };
  if (all.cut === known.cut && all.lossy === known.lossy) return;
  replaceFile(fileOf(dir), Buffer.from(`${JSON.stringify(all)}\n`));
}

export function settleLosses(dir: string): void {
  if (!existsSync(fileOf(dir))) return;
  rmSync(fileOf(dir));
  syncDir(dir);
}
