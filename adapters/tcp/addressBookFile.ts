import { existsSync, readFileSync } from 'node:fs';
import type { AddressBook } from '../../core/p2p/addressBook.ts';
import { onFile, replaceFile } from '../disk/files.ts';
import { OperatingError } from '../operatingError.ts';

/** Larger than any address book that this node writes. */
const FILE_BYTES_MAX = 4 << 20;
/** Values of CometBFT's bucket_type. */
const [NEW, OLD] = [1, 2];

const timeText = (micros: number): string => new Date(micros / 1000).toISOString();
const timeOf = (text: unknown): number => {
  const ms = typeof text === 'string' ? Date.parse(text) : Number.NaN;
  return Number.isFinite(ms) && ms > 0 ? ms * 1000 : 0;
};

/** Writes addrbook.json with CometBFT's field names; this address book has no buckets. */
export function saveAddressBook(file: string, book: AddressBook): void {
  const addrs = book.entries().map((entry) => ({
    addr: { id: entry.address.id, ip: entry.address.host, port: entry.address.port },
    src: { id: entry.source, ip: '', port: 0 },
    buckets: [],
    attempts: entry.attempts,
    bucket_type: entry.isOld ? OLD : NEW,
    last_attempt: timeText(entry.lastAttempt),
    last_success: timeText(entry.lastSuccess),
  }));
  const text = `${JSON.stringify({ key: '', addrs }, undefined, 2)}\n`;
  onFile('write', file, () => replaceFile(file, Buffer.from(text), 0o644));
}

/** Fills the address book from a file, if it exists. Skips entries that the book's rules refuse now. */
export function loadAddressBook(file: string, book: AddressBook): void {
  if (!existsSync(file)) return;
  const text = onFile('read', file, () => readFileSync(file, 'utf8'));
  if (text.length > FILE_BYTES_MAX) throw new OperatingError(`address book ${file} is not usable: too long`);
  let addrs: unknown;
  try {
    addrs = (JSON.parse(text) as { addrs?: unknown } | null)?.addrs;
  } catch {
    throw new OperatingError(`address book ${file} is not usable: it is not JSON; it may be deleted`);
  }
  if (!Array.isArray(addrs)) {
    throw new OperatingError(`address book ${file} is not usable: it has no list addrs; it may be deleted`);
  }
  for (const entry of addrs as readonly Readonly<Record<string, unknown>>[]) {
    const addr = (entry?.['addr'] ?? {}) as { id?: unknown; ip?: unknown; port?: unknown };
    const src = (entry?.['src'] ?? {}) as { id?: unknown };
    const { id, ip, port } = addr;
    if (typeof id !== 'string' || typeof ip !== 'string' || typeof port !== 'number') continue;
    book.restore({
      address: { id, host: ip, port },
      source: typeof src.id === 'string' ? src.id : id,
      isOld: entry['bucket_type'] === OLD,
      attempts: Math.max(0, Math.floor(Number(entry['attempts']) || 0)),
      lastAttempt: timeOf(entry['last_attempt']),
      lastSuccess: timeOf(entry['last_success']),
    });
  }
}
