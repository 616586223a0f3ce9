import { Client } from 'pg';
import type { ChainReader } from '../../core/app/chain.ts';
import type { EventHub } from '../../core/events/hub.ts';
import { present } from '../../core/lib/assert.ts';
import type { Height } from '../../core/types/ids.ts';
import type { Logger } from '../log/logger.ts';
import { OperatingError } from '../operatingError.ts';
import { rowsOf } from './rows.ts';
import { SCHEMA } from './schema.ts';

export interface PsqlSinkOptions {
  /** `postgresql://user:password@host:port/database`. */
  readonly connection: string;
  readonly chain: ChainReader;
  /** The chain's first height. */
  readonly initialHeight: Height;
  readonly hub: EventHub;
  readonly log: Logger;
}

const RETRY_MS = { first: 500, max: 30_000 };
const CONNECT_MS_MAX = 10_000;
const STATEMENT_MS_MAX = 60_000;

/**
 * Writes the chain's events to PostgreSQL. Each height is one transaction, so the tables only contain complete heights;
 * the last one is read from them. The sink reads from the node's store, so an unavailable database delays nothing, and
 * nothing is missed unless it is pruned in the meantime.
 */
export class PsqlSink {
  readonly #options: PsqlSinkOptions;
  #client: Client | undefined;
  #next: Height = 1;
  #isWorking = false;
  #isStopped = false;
  #retryMs = RETRY_MS.first;
  #retry: NodeJS.Timeout | undefined;
  #work: Promise<void> = Promise.resolve();
  readonly #unlisten: () => void;

  /** Throws OperatingError if the database cannot be used: at the start, so that it does not go unnoticed. */
  static async open(options: PsqlSinkOptions): Promise<PsqlSink> {
    const sink = new PsqlSink(options);
    try {
      await sink.#connect();
    } catch (error) {
      await sink.stop();
      throw new OperatingError(`tx_index.psql-conn: cannot use the database: ${reason(error)}`);
    }
    sink.#wake();
    return sink;
  }

  private constructor(options: PsqlSinkOptions) {
    this.#options = options;
    this.#unlisten = options.hub.listen((event) => {
      if (event.kind === 'committed') this.#wake();
    });
  }

  /** Lowest height that is not in the tables yet. */
  get next(): Height {
    return this.#next;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#unlisten();
    clearTimeout(this.#retry);
    await this.#work;
    await this.#disconnect();
  }

  #wake(): void {
    if (this.#isWorking || this.#isStopped || this.#retry !== undefined) return;
    this.#isWorking = true;
    this.#work = this.#catchUp().then(
      () => {
        this.#isWorking = false;
      },
      async (error: unknown) => {
        this.#isWorking = false;
        await this.#disconnect();
        this.#later(error);
      },
    );
  }

  #later(error: unknown): void {
    if (this.#isStopped) return;
    this.#options.log.warn(`PostgreSQL: ${reason(error)}; trying again from height ${this.#next}`);
    this.#retry = setTimeout(() => {
      this.#retry = undefined;
      this.#wake();
    }, this.#retryMs);
    this.#retryMs = Math.min(this.#retryMs * 2, RETRY_MS.max);
  }

  async #catchUp(): Promise<void> {
    const client = this.#client ?? (await this.#connect());
    const { chain, log } = this.#options;
    while (!this.#isStopped && this.#next <= chain.head()) {
      if (this.#next < chain.base()) {
        log.warn(`PostgreSQL: heights ${this.#next} to ${chain.base() - 1} are pruned and will be missing`);
        this.#next = chain.base();
      }
      await this.#write(client, this.#next);
      this.#next++;
      this.#retryMs = RETRY_MS.first;
    }
  }

  async #connect(): Promise<Client> {
    const client = new Client({
      connectionString: this.#options.connection,
      connectionTimeoutMillis: CONNECT_MS_MAX,
      statement_timeout: STATEMENT_MS_MAX,
      application_name: 'orrery',
    });
    // A connection that breaks while idle is replaced at the next height.
    client.on('error', () => {
      if (this.#client === client) this.#client = undefined;
    });
    await client.connect();
    this.#client = client;
    const found = await client.query("SELECT to_regclass('blocks') AS blocks");
    if (found.rows[0]?.blocks === null) await client.query(`BEGIN; ${SCHEMA} COMMIT`);
    const last = await client.query('SELECT max(height) AS height FROM blocks WHERE chain_id = $1', [
      this.#options.chain.chainId,
    ]);
    this.#next = Math.max(Number(last.rows[0]?.height ?? 0) + 1, this.#options.initialHeight);
    return client;
  }

  async #disconnect(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    // The connection may be broken already; nothing more is needed from it.
    await client?.end().catch(() => {});
  }

  async #write(client: Client, height: Height): Promise<void> {
    await client.query('BEGIN');
    try {
      await this.#insert(client, height);
      await client.query('COMMIT');
    } catch (error) {
      await client.query('ROLLBACK').catch(() => {});
      throw error;
    }
  }

  async #insert(client: Client, height: Height): Promise<void> {
    const { chain } = this.#options;
    const block = present(chain.block(height), 'a kept block');
    const results = present(chain.results(height), 'the results of a kept block');
    const inserted = await client.query(
      'INSERT INTO blocks (height, chain_id, created_at) VALUES ($1, $2, now()) ON CONFLICT DO NOTHING RETURNING rowid',
      [height, chain.chainId],
    );
    const blockId = inserted.rows[0]?.rowid;
    if (blockId === undefined) return;
    const { txs, events } = rowsOf(block, results);
    const txIds = await newIds(client, 'tx_results', txs.length);
    await client.query(
      'INSERT INTO tx_results (rowid, block_id, index, created_at, tx_hash, tx_result) ' +
        'SELECT id, $1, index, now(), hash, result FROM unnest($2::bigint[], $3::int[], $4::varchar[], $5::bytea[]) AS t(id, index, hash, result)',
      [
        blockId,
        txIds,
        txs.map(({ index }) => index),
        txs.map(({ hash }) => hash),
        txs.map(({ result }) => Buffer.from(result)),
      ],
    );
    const eventIds = await newIds(client, 'events', events.length);
    await client.query(
      'INSERT INTO events (rowid, block_id, tx_id, type) SELECT id, $1, tx, type FROM unnest($2::bigint[], $3::bigint[], $4::varchar[]) AS t(id, tx, type)',
      [
        blockId,
        eventIds,
        events.map(({ tx }) => (tx === undefined ? null : txIds[tx])),
        events.map(({ type }) => type),
      ],
    );
    const attributes = events.flatMap((event, i) =>
      event.attributes.map((attribute) => ({ ...attribute, eventId: eventIds[i] })),
    );
    await client.query(
      'INSERT INTO attributes (event_id, key, composite_key, value) SELECT * FROM unnest($1::bigint[], $2::varchar[], $3::varchar[], $4::varchar[])',
      [
        attributes.map(({ eventId }) => eventId),
        attributes.map(({ key }) => key),
        attributes.map(({ compositeKey }) => compositeKey),
        attributes.map(({ value }) => value),
      ],
    );
  }
}

async function newIds(
  client: Client,
  name: 'tx_results' | 'events',
  count: number,
): Promise<readonly string[]> {
  const { rows } = await client.query(
    "SELECT nextval(pg_get_serial_sequence($1, 'rowid')) AS id FROM generate_series(1, $2::int)",
    [name, count],
  );
  return rows.map(({ id }: { id: string }) => id);
}

/** The error's message. An AggregateError (several addresses of one host) has none of its own. */
function reason(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reason).join('; ');
  return error instanceof Error ? error.message : String(error);
}
