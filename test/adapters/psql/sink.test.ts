import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLogger } from '../../../adapters/log/logger.ts';
import { rowsOf } from '../../../adapters/psql/rows.ts';
import { PsqlSink } from '../../../adapters/psql/sink.ts';
import { testGenesis } from '../../core/app/support/chain.ts';
import { deploying, STORE_AND_LOG } from '../../core/app/support/code.ts';
import { bytesHex, RpcWorld } from '../../core/rpc/support/rpcWorld.ts';
import { POSTGRES, Postgres } from './postgres.ts';

if (POSTGRES === undefined)
  console.warn('PostgreSQL is not installed (Debian: postgresql): its tests are skipped');

describe.skipIf(POSTGRES === undefined)('with a PostgreSQL server', () => {
  let postgres: Postgres;
  let world: RpcWorld;
  const warnings: string[] = [];
  const log = createLogger({ level: 'warn', format: 'plain', write: (_level, line) => warnings.push(line) });

  beforeAll(async () => {
    postgres = await Postgres.make();
    world = await RpcWorld.open();
    await send();
    await world.commit();
  });
  afterAll(() => postgres?.remove());

  const send = () =>
    world.get('eth_sendTransaction', { from: bytesHex(world.dev.address), data: deploying(STORE_AND_LOG) });
  const optionsOf = ({ chain, hub }: RpcWorld) => ({
    connection: postgres.connection,
    chain: chain.reader,
    initialHeight: chain.genesis.initialHeight,
    hub,
    log,
  });
  const open = () => PsqlSink.open(optionsOf(world));

  async function caughtUp(sink: PsqlSink): Promise<void> {
    while (sink.next <= world.chain.reader.head()) await new Promise((resolve) => setTimeout(resolve, 10));
  }

  async function rows(text: string): Promise<readonly Record<string, unknown>[]> {
    const client = new Client({ connectionString: postgres.connection });
    await client.connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  }

  const expectWhole = async () => {
    const head = world.chain.reader.head();
    const stored = await rows('SELECT height, chain_id FROM blocks ORDER BY height');
    expect(stored).toEqual(
      Array.from({ length: head }, (_, i) => ({ height: String(i + 1), chain_id: 'chain_9000-1' })),
    );
    for (let height = 1; height <= head; height++) {
      const block = world.chain.reader.block(height);
      const results = world.chain.reader.results(height);
      if (block === undefined || results === undefined) throw new Error('a kept height');
      const { txs, events } = rowsOf(block, results);
      const shown = (view: string, order: string) =>
        rows(
          `SELECT composite_key, value FROM ${view} WHERE height = ${height} ORDER BY ${order} composite_key, value`,
        );
      const wanted = (isTx: boolean) =>
        events
          .filter(({ tx }) => (tx !== undefined) === isTx)
          .flatMap(({ attributes }) => attributes)
          .map(({ compositeKey, value }) => `${compositeKey}=${value}`)
          .sort();
      const texts = (list: readonly Record<string, unknown>[]) =>
        list.map(({ composite_key, value }) => `${composite_key}=${value}`).sort();
      expect(texts(await shown('block_events', ''))).toEqual(wanted(false));
      expect(texts(await shown('tx_events', 'index,'))).toEqual(wanted(true));
      const stored = await rows(
        `SELECT index, tx_hash, tx_result FROM tx_results JOIN blocks ON blocks.rowid = block_id WHERE height = ${height} ORDER BY index`,
      );
      expect(stored).toEqual(
        txs.map(({ index, hash, result }) => ({ index, tx_hash: hash, tx_result: Buffer.from(result) })),
      );
    }
  };

  test('the tables hold every height once, also those before it began and those after a restart', async () => {
    const first = await open();
    await caughtUp(first);
    await send();
    await world.commit();
    await caughtUp(first);
    await expectWhole();
    await first.stop();
    await send();
    await world.commit();
    const second = await open();
    await caughtUp(second);
    await second.stop();
    await expectWhole();
  });

  test('a database that is away for a while misses nothing and holds nothing up', async () => {
    const sink = await open();
    await caughtUp(sink);
    await postgres.kill();
    for (let i = 0; i < 3; i++) await world.commit();
    expect(sink.next).toBeLessThan(world.chain.reader.head() + 1);
    const isAway = (): boolean => warnings.some((line) => line.includes('trying again from height'));
    while (!isAway()) await new Promise((resolve) => setTimeout(resolve, 10));
    await postgres.start();
    await caughtUp(sink);
    await sink.stop();
    await expectWhole();
  });

  test('a chain that begins higher misses nothing below its first height', async () => {
    const genesis = { ...testGenesis({ accounts: [] }), chainId: 'later_9000-1', initialHeight: 100 };
    const later = await RpcWorld.openOn(genesis);
    await later.commit();
    const before = warnings.length;
    const sink = await PsqlSink.open(optionsOf(later));
    while (sink.next <= 100) await new Promise((resolve) => setTimeout(resolve, 10));
    await sink.stop();
    expect(warnings.slice(before)).toEqual([]);
    expect(await rows("SELECT height FROM blocks WHERE chain_id = 'later_9000-1'")).toEqual([
      { height: '100' },
    ]);
  });

  test('a database that cannot be had is said at the start', async () => {
    const connection = 'postgresql://orrery@127.0.0.1:1/none';
    await expect(PsqlSink.open({ ...optionsOf(world), connection })).rejects.toThrow(
      /tx_index.psql-conn: cannot use the database: .*ECONNREFUSED/,
    );
  });
});
