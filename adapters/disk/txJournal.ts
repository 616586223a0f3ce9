import { closeSync, existsSync, fstatSync, ftruncateSync, openSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { decodeRlp, encodeRlp } from '../../core/app/evm/rlp.ts';
import { type Bytes, toHex } from '../../core/lib/bytes.ts';
import type { SubmitResult } from '../../core/types/submit.ts';
import { onFile, reasonOf, replaceFile } from './files.ts';
import { NODE_IO, type WalIo } from './walIo.ts';

/**
 * At this length the file is rewritten without transactions that left the pool; next at twice the length it then has.
 */
const ROTATE_BYTES = 4 << 20;
/** A longer file is not a journal of this node. */
const FILE_BYTES_MAX = 1 << 30;
/** Transactions submitted to the pool at once while the file is read. */
const LOAD_CHUNK = 256;

export const journalOf = (dataDir: string): string => path.join(dataDir, 'transactions.rlp');

export interface TxJournalOptions {
  readonly file: string;
  /** Submits a transaction to the pool. */
  readonly submit: (tx: Bytes) => Promise<SubmitResult>;
  /** The transactions in the pool. */
  readonly pooled: () => readonly Bytes[];
  readonly warn: (text: string) => void;
  readonly io?: Pick<WalIo, 'write'>;
}

/**
 * Journal of the transactions that users sent through this node, so that a restart does not lose those not yet in a
 * block (geth's transactions.rlp: consecutive RLP strings). An entry cut short by a kill is ignored. A failing disk
 * loses the journal but does not stop the node.
 */
export class TxJournal {
  readonly #options: TxJournalOptions;
  #unwritten: Bytes[] = [];
  #flushing = false;
  #loading = true;
  #rotateAt = ROTATE_BYTES;
  #bytes = 0;
  #fd: number | undefined;

  constructor(options: TxJournalOptions) {
    this.#options = options;
  }

  /** Submits to the pool and journals what it accepts. */
  readonly submit = async (tx: Bytes): Promise<SubmitResult> => {
    const result = await this.#options.submit(tx);
    if (isTaken(result)) this.#add(tx);
    return result;
  };

  /** Submits the transactions of the previous run and keeps those that the pool accepts. Call it once. */
  async load(): Promise<{ readonly read: number; readonly taken: number }> {
    const found = this.#read();
    const entries = found ?? [];
    const taken: Bytes[] = [];
    for (let i = 0; i < entries.length; i += LOAD_CHUNK) {
      const chunk = entries.slice(i, i + LOAD_CHUNK);
      const results = await Promise.all(chunk.map(this.#options.submit));
      for (const [at, tx] of chunk.entries()) if (isTaken(results[at] as SubmitResult)) taken.push(tx);
    }
    // Also rewritten if no entry is complete: entries appended after a partial one would be lost with it.
    if (found !== undefined) this.#rewrite(taken);
    this.#loading = false;
    this.#flush();
    return { read: entries.length, taken: taken.length };
  }

  close(): void {
    this.#flush();
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
    this.#loading = true;
  }

  /** Transactions accepted within one turn are written with one write before the turn ends. */
  #add(tx: Bytes): void {
    this.#unwritten.push(tx);
    if (this.#flushing || this.#loading) return;
    this.#flushing = true;
    queueMicrotask(() => {
      this.#flushing = false;
      this.#flush();
    });
  }

  #flush(): void {
    if (this.#loading || this.#unwritten.length === 0) return;
    const bytes = encodeEntries(this.#unwritten);
    this.#unwritten = [];
    this.#guarded('write', () => {
      this.#fd ??= openSync(this.#options.file, 'a', 0o600);
      this.#append(this.#fd, bytes);
      this.#bytes += bytes.length;
    });
    if (this.#bytes < this.#rotateAt) return;
    const pooled = new Set(this.#options.pooled().map(toHex));
    const entries = this.#read();
    if (entries !== undefined) this.#rewrite(entries.filter((tx) => pooled.has(toHex(tx))));
  }

  /** Writes everything or nothing: entries after a partial one could not be read again. */
  #append(fd: number, bytes: Bytes): void {
    const { size } = fstatSync(fd);
    const { write } = this.#options.io ?? NODE_IO;
    try {
      for (let done = 0; done < bytes.length; ) done += write(fd, bytes, done, size + done);
    } catch (error) {
      ftruncateSync(fd, size);
      throw error;
    }
  }

  #rewrite(entries: readonly Bytes[]): void {
    const bytes = encodeEntries(entries);
    this.#guarded('write', () => {
      if (this.#fd !== undefined) closeSync(this.#fd);
      this.#fd = undefined;
      replaceFile(this.#options.file, bytes);
    });
    this.#bytes = bytes.length;
    this.#rotateAt = Math.max(ROTATE_BYTES, 2 * bytes.length);
  }

  /** undefined when the file exists but cannot be read. */
  #read(): readonly Bytes[] | undefined {
    const { file } = this.#options;
    return this.#guarded('read', () => {
      if (!existsSync(file)) return [];
      if (statSync(file).size > FILE_BYTES_MAX) throw new RangeError('too long');
      return decodeEntries(new Uint8Array(readFileSync(file)));
    });
  }

  #guarded<T>(action: string, work: () => T): T | undefined {
    try {
      return onFile(action, this.#options.file, work);
    } catch (error) {
      this.#options.warn(`transactions may be forgotten at a restart: ${reasonOf(error)}`);
      return undefined;
    }
  }
}

const isTaken = (result: SubmitResult): boolean =>
  result.kind === 'checked' && result.result.kind === 'accepted';

const encodeEntries = (txs: readonly Bytes[]): Bytes =>
  Uint8Array.from(Buffer.concat(txs.map((tx) => encodeRlp(tx))));

/** The complete entries from the start; a partial or invalid entry ends the list. */
export function decodeEntries(file: Bytes): readonly Bytes[] {
  const entries: Bytes[] = [];
  for (let at = 0; at < file.length; ) {
    const end = at + entryLength(file.subarray(at));
    const item = decodeRlp(file.subarray(at, end));
    if (!item.ok || !(item.value instanceof Uint8Array) || item.value.length === 0) return entries;
    entries.push(item.value);
    at = end;
  }
  return entries;
}

/** Length of the RLP string at the start, according to its head; `decodeRlp` validates the head. */
function entryLength(bytes: Bytes): number {
  const head = bytes[0] ?? 0;
  if (head < 0x80) return 1;
  if (head < 0xb8) return 1 + head - 0x80;
  const size = head < 0xc0 ? head - 0xb7 : 0;
  let length = 0;
  for (const byte of bytes.subarray(1, 1 + size)) length = length * 256 + byte;
  return 1 + size + length;
}
