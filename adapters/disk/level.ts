import { ClassicLevel } from 'classic-level';
import type { Bytes } from '../../core/lib/bytes.ts';
import type { KvOp, KvRange, KvStore } from '../../core/store/kv.ts';
import { OperatingError } from '../operatingError.ts';
import { fileError, makeDir, onFile, reasonOf } from './files.ts';
import { checkLevelLogs } from './levelCheck.ts';
import { lockedError, notePid, removePid } from './lock.ts';
import type { DiskSpace } from './space.ts';

export interface LevelOptions {
  /** Bytes of uncompressed blocks kept in memory. */
  readonly cacheBytesMax?: number;
  /** Bytes of writes buffered before LevelDB makes a table file; two such buffers may exist at once. */
  readonly writeBufferBytesMax?: number;
  /** Asked before each batch: a batch that failed on a full disk could not be repeated. */
  readonly space?: Pick<DiskSpace, 'whenFree'>;
}

const CACHE_BYTES_MAX = 32 * 1024 * 1024;
const WRITE_BUFFER_BYTES_MAX = 8 * 1024 * 1024;
const OPEN_FILES_MAX = 256;

/** A method that abstract-level calls on implementations; missing from its public types. */
interface BatchOfBytes {
  _batch(ops: readonly KvOp[], options: { readonly sync: boolean }): Promise<void>;
}

/** LevelDB with bytes as keys and values. */
class Database extends ClassicLevel<Bytes, Bytes> {
  /**
   * `batch` copies each operation and looks up its encodings, which costs four times as much as passing it to LevelDB.
   * Bytes need no encoding; the only other check is that the database is open, which the binding does not make.
   */
  async write(ops: readonly KvOp[]): Promise<void> {
    if (this.status !== 'open') throw new Error('the database is not open');
    if (ops.length > 0) await (this as unknown as BatchOfBytes)._batch(ops, { sync: true });
  }
}

/** KvStore on LevelDB. Each batch is one record of LevelDB's own log: atomic by its checksum, and synced. */
export class LevelStore implements KvStore {
  readonly #db: Database;
  readonly #home: string;
  readonly #space: LevelOptions['space'];

  /** `home` appears in messages. Throws OperatingError if the database is locked, damaged or not readable. */
  static async open(path: string, home: string, options: LevelOptions = {}): Promise<LevelStore> {
    onFile('create', path, () => makeDir(path));
    // The binding cannot enable LevelDB's paranoid checks; without them LevelDB drops everything after damage in its
    // log. This check must come before the constructor, which starts to open the database.
    onFile('check', path, () => checkLevelLogs(path));
    const db = new Database(path, {
      keyEncoding: 'view',
      valueEncoding: 'view',
      cacheSize: options.cacheBytesMax ?? CACHE_BYTES_MAX,
      writeBufferSize: options.writeBufferBytesMax ?? WRITE_BUFFER_BYTES_MAX,
      maxOpenFiles: OPEN_FILES_MAX,
    });
    try {
      await db.open();
    } catch (error) {
      throw openError(path, home, error);
    }
    notePid(home);
    return new LevelStore(db, home, options.space);
  }

  private constructor(db: Database, home: string, space: LevelOptions['space']) {
    this.#space = space;
    this.#db = db;
    this.#home = home;
  }

  get(key: Bytes): Bytes | undefined {
    try {
      const value = this.#db.getSync(key);
      return value === undefined ? undefined : plain(value);
    } catch (error) {
      throw this.#failed('read', error);
    }
  }

  async batch(ops: readonly KvOp[]): Promise<void> {
    await this.#space?.whenFree(true);
    try {
      await this.#db.write(ops);
    } catch (error) {
      throw this.#failed('write', error);
    }
  }

  async range({ gte, lt, reverse, limitMax }: KvRange): Promise<readonly (readonly [Bytes, Bytes])[]> {
    const iterator = this.#db.iterator({ gte, lt, reverse: reverse ?? false, limit: limitMax });
    try {
      const rows = await iterator.all();
      return rows.map(([key, value]) => [plain(key), plain(value)] as const);
    } catch (error) {
      throw this.#failed('read', error);
    }
  }

  async close(): Promise<void> {
    try {
      await this.#db.close();
    } catch (error) {
      throw this.#failed('close', error);
    }
    removePid(this.#home);
  }

  #failed(action: string, error: unknown): OperatingError {
    return fileError(`${action} the database`, this.#db.location, causeOf(error));
  }
}

/** The binding returns Buffers, whose `slice` does not copy; the core must only get Uint8Arrays. */
const plain = (bytes: Bytes): Bytes => new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);

/** The original LevelDB error, which abstract-level wraps. */
export const causeOf = (error: unknown): unknown =>
  (error as { cause?: unknown } | undefined)?.cause ?? error;

/** Another process has opened the database. */
export const isLocked = (error: unknown): boolean =>
  (causeOf(error) as { code?: unknown } | undefined)?.code === 'LEVEL_LOCKED';

function openError(path: string, home: string, error: unknown): OperatingError {
  if (error instanceof OperatingError) return error;
  const cause = causeOf(error);
  const code = (cause as { code?: unknown } | undefined)?.code;
  if (isLocked(error)) return lockedError('database', home);
  const word = code === 'LEVEL_CORRUPTION' ? 'the database is damaged' : 'cannot open the database';
  return new OperatingError(`${word}: ${path}: ${reasonOf(cause)}`, { cause: error });
}
