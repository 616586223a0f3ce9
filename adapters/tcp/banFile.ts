import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Ban } from '../../core/p2p/standing.ts';
import { onFile, replaceFile } from '../disk/files.ts';
import { OperatingError } from '../operatingError.ts';

/** Far larger than all bans that a node keeps. */
const FILE_BYTES_MAX = 1 << 20;
const REASON_LENGTH_MAX = 512;
const ID = /^[0-9a-f]{40}$/;

/** A file beside the address book, whose format is CometBFT's and has no field for bans. */
export const banFileOf = (addressBookFile: string): string =>
  path.join(path.dirname(addressBookFile), 'bans.json');

/** Readable by operators: banned peers, reasons, ends. Deleting the file ends all bans at the next start. */
export function saveBans(file: string, bans: readonly Ban[]): void {
  const list = bans.map(({ peer, reason, until, times }) => ({
    id: peer,
    reason: reason.slice(0, REASON_LENGTH_MAX),
    until: new Date(until / 1000).toISOString(),
    times,
  }));
  const text = `${JSON.stringify({ bans: list }, undefined, 2)}\n`;
  onFile('write', file, () => replaceFile(file, Buffer.from(text), 0o644));
}

/** Bans from the file, if it exists; skips invalid entries. */
export function loadBans(file: string): readonly Ban[] {
  if (!existsSync(file)) return [];
  const text = onFile('read', file, () => readFileSync(file, 'utf8'));
  const bad = (what: string): never => {
    throw new OperatingError(`bans in ${file} are not usable: ${what}; the file may be deleted`);
  };
  if (text.length > FILE_BYTES_MAX) bad('too long');
  let bans: unknown;
  try {
    bans = (JSON.parse(text) as { bans?: unknown } | null)?.bans;
  } catch {
    bad('it is not JSON');
  }
  if (!Array.isArray(bans)) return bad('it has no list bans');
  return (bans as readonly (Readonly<Record<string, unknown>> | null)[]).flatMap((entry) => {
    const { id, reason, until, times } = entry ?? {};
    const untilMs = typeof until === 'string' ? Date.parse(until) : Number.NaN;
    if (typeof id !== 'string' || !ID.test(id) || !Number.isFinite(untilMs)) return [];
    const why = typeof reason === 'string' ? reason.slice(0, REASON_LENGTH_MAX) : '';
    const count = Number.isSafeInteger(times) && (times as number) > 0 ? (times as number) : 1;
    return [{ peer: id, reason: why, until: untilMs * 1000, times: count }];
  });
}
