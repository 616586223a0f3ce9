import { closeSync, existsSync, fstatSync, ftruncateSync, openSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { decodeRlp, encodeRlp } from '../../core/app/evm/rlp.ts';
import { type Bytes, toHex } from '../../core/lib/bytes.ts';
import type { SubmitResult } from '../../core/types/submit.ts';
import { onFile, reasonOf, replaceFile } from './files.ts';
import { NODE_IO, type WalIo } from './walIo.ts';

/** The file is cleared of what has left the pool once it is this long, and again at twice what was left then. */
const ROTATE_BYTES = 4 << 20;
/** A longer file is not ours. */
const FILE_BYTES_MAX = 1 << 30;
/** Transactions handed to the pool at once while the file is read. */
const LOAD_CHUNK = 256;

export const journalOf = (dataDir: string): string => path.join(dataDir, 'transactions.rlp');

export interface TxJournalOptions {
  readonly file: string;
  /** Hands a transaction to the pool. */
  readonly submit: (tx: Bytes) => Promise<SubmitResult>;
  /** What the pool holds. */
  readonly pooled: () => readonly Bytes[];
  readonly warn: (text: string) => void;
  readonly io?: Pick<WalIo, 'write'>;
}

/**
 * Transactions that users sent through this node, so that a restart does not forget those not yet in a block (geth's
 * transactions.rlp: RLP strings one after the other). What the process was killed over while writing is left out; a
 * disk that refuses costs the journal, never the node.
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

  /** As the pool's own, and remembers what it takes. */
  readonly submit = async (tx: Bytes): Promise<SubmitResult> => {
    const result = await this.#options.submit(tx);
    if (isTaken(result)) this.#add(tx);
    return result;
  };

  /** Hands the pool what the last run left, and keeps of it what the pool takes. Call once. */
  async load(): Promise<{ readonly read: number; readonly taken: number }> {
    const found = this.#read();
    const entries = found ?? [];
    const taken: Bytes[] = [];
    for (let i = 0; i < entries.length; i += LOAD_CHUNK) {
      const chunk = entries.slice(i, i + LOAD_CHUNK);
      const results = await Promise.all(chunk.map(this.#options.submit));
      for (const [at, tx] of chunk.entries()) if (isTaken(results[at] as SubmitResult)) taken.push(tx);
    }
    // With nothing whole in it, too: what is appended to a half entry is lost with it.
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

  /** All that is taken within one turn reaches the file in one write, before the turn ends. */
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

  /** All of it or nothing: what follows a half entry is not found again. */
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

  /** undefined when the file is there and cannot be read. */
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

/** The whole entries from the front; whatever is cut or strange ends the list. */
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

/** Of the RLP string at the front, as its head says; `decodeRlp` judges the head. */
function entryLength(bytes: Bytes): number {
  const head = bytes[0] ?? 0;
  if (head < 0x80) return 1;
  if (head < 0xb8) return 1 + head - 0x80;
  const size = head < 0xc0 ? head - 0xb7 : 0;
  let length = 0;
  for (const byte of bytes.subarray(1, 1 + size)) length = length * 256 + byte;
  return 1 + size + length;
}
