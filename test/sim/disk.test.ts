import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { LogRecord } from '../../core/node/contract.ts';
import { KvDisk, KvHandle } from '../../sim/disk/kvDisk.ts';
import { LogFile } from '../../sim/disk/logFile.ts';
import { POWER_LOSSES } from '../../sim/disk/powerLoss.ts';
import { Choices } from '../../sim/world/choices.ts';

const record = (height: number, ...bytes: number[]): LogRecord => ({ height, bytes: Uint8Array.from(bytes) });
const records = fc.array(
  fc.record({ height: fc.integer({ min: 1, max: 9 }), bytes: fc.uint8Array({ maxLength: 700 }) }),
  { maxLength: 8 },
);

describe('the log on the simulated disk', () => {
  test('synced records survive every crash; of those in flight a prefix does', () => {
    fc.assert(
      fc.property(
        records,
        records,
        fc.constantFrom(...POWER_LOSSES),
        fc.string(),
        (synced, flying, loss, seed) => {
          const log = new LogFile();
          log.append(synced);
          log.sync();
          log.append(flying);
          log.crash(loss, new Choices({ seed }).stream('crash'));
          const { records: found } = log.recover();
          expect(found.length).toBeGreaterThanOrEqual(synced.length);
          expect(found).toEqual([...synced, ...flying].slice(0, found.length));
          if (loss === 'none') expect(found.length).toBe(synced.length + flying.length);
          // What recovery read is what the next recovery reads.
          expect(log.recover()).toEqual({ records: found, tornBytes: 0, lossy: false });
        },
      ),
    );
  });

  test('records written while the disk was full are lost in a crash, earlier ones are kept', () => {
    const log = new LogFile();
    log.append([record(1, 1)]);
    log.isFull = true;
    log.append([record(1, 2)]);
    log.crash('none', new Choices({ seed: 'full' }).stream('crash'));
    expect(log.recover().records).toEqual([record(1, 1)]);
    log.append([record(1, 3)]);
    log.isFull = false;
    log.close();
    expect(log.recover().records).toEqual([record(1, 1), record(1, 3)]);
  });

  test('behind damage the last record is the last whole one', () => {
    const log = new LogFile();
    log.append([record(1, 1, 2, 3), record(1, 4, 5, 6)]);
    log.sync();
    const { start } = log.records[1] as { readonly start: number };
    log.flip(log.size * 8 - 1);
    expect(log.lastRecordBytes).toBe(log.size);
    log.flip(log.size * 8 - 1);
    expect(log.lastRecordBytes).toBe(log.size - start);
  });

  test('a torn tail costs the last record and no other', () => {
    const log = new LogFile();
    log.append([record(1, 1, 2, 3), record(1, 4, 5, 6)]);
    log.sync();
    log.truncate(1);
    expect(log.recover().records).toEqual([record(1, 1, 2, 3)]);
  });

  test('a flipped bit is never read as data', () => {
    fc.assert(
      fc.property(records, fc.nat(), (synced, bit) => {
        const log = new LogFile();
        log.append(synced);
        log.sync();
        log.flip(bit);
        const { records: found } = log.recover();
        expect(found).toEqual(synced.slice(0, found.length));
        if (synced.length > 0) expect(found.length).toBeLessThan(synced.length);
      }),
    );
  });

  test('turnover forgets heights that are done', () => {
    const log = new LogFile();
    log.append([record(1, 1), record(2, 2)]);
    log.sync();
    log.turnover(1);
    expect(log.recover().records).toEqual([record(2, 2)]);
  });
});

describe('the database on the simulated disk', () => {
  const key = (...bytes: number[]): Uint8Array => Uint8Array.from(bytes);
  const gate = (dies: 'before' | 'after' | 'never') => {
    const state = { alive: true, beforeBatch: () => {}, afterBatch: () => {} };
    const kill = (): void => {
      state.alive = false;
    };
    if (dies === 'before') state.beforeBatch = kill;
    if (dies === 'after') state.afterBatch = kill;
    return state;
  };

  test('ranges are in byte order, both ways, and limited', async () => {
    const disk = new KvDisk();
    const kv = new KvHandle(disk, gate('never'));
    await kv.batch([3, 200, 1, 2].map((n) => ({ type: 'put', key: key(7, n), value: key(n) })));
    const bounds = { gte: key(7), lt: key(8), limitMax: 3 };
    expect((await kv.range(bounds)).map(([, value]) => value[0])).toEqual([1, 2, 3]);
    expect((await kv.range({ ...bounds, reverse: true })).map(([, value]) => value[0])).toEqual([200, 3, 2]);
  });

  test('a crash before a batch leaves nothing of it, a crash after it all of it', async () => {
    for (const [dies, there] of [
      ['before', false],
      ['after', true],
    ] as const) {
      const disk = new KvDisk();
      const kv = new KvHandle(disk, gate(dies));
      await expect(kv.batch([{ type: 'put', key: key(1), value: key(9) }])).rejects.toThrow('power cut');
      expect(disk.get(key(1)) !== undefined).toBe(there);
    }
  });

  test('it keeps copies: what a caller does to its bytes later changes nothing', async () => {
    const disk = new KvDisk();
    const value = key(1);
    await new KvHandle(disk, gate('never')).batch([{ type: 'put', key: key(1), value }]);
    value[0] = 2;
    expect(disk.get(key(1))).toEqual(key(1));
  });
});
