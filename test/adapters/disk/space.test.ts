import { fdatasync, writeSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { LevelStore } from '../../../adapters/disk/level.ts';
import { DiskSpace } from '../../../adapters/disk/space.ts';
import { Wal } from '../../../adapters/disk/wal.ts';
import type { LogRecord } from '../../../core/node/contract.ts';
import { tempDir } from '../tempDir.ts';

const rethrow = (error: unknown): void => {
  throw error;
};
const record = (height: number, text: string): LogRecord => ({
  height,
  bytes: new TextEncoder().encode(text),
});
const texts = (wal: Wal): string[] => wal.records().map(({ bytes }) => new TextDecoder().decode(bytes));

/** A disk whose free bytes the test sets, and what is said about it. */
function disk(free: number) {
  const said: string[] = [];
  const state = { free };
  const say = (text: string): void => void said.push(text.replace(/^the disk of \S+ /, ''));
  const space = new DiskSpace('/', {
    warn: say,
    info: say,
    reserveBytes: 100,
    freeBytes: () => state.free,
    pollMs: 1,
  });
  return { said, state, space };
}

const FULL = 'is almost full: not voting and storing no block until there is room';
const BACK = 'has room again: going on';

describe('a disk that runs full', () => {
  test('makes the log wait before anything is written, and go on when there is room', async () => {
    const { said, state, space } = disk(99);
    const dir = tempDir();
    const wal = Wal.open(dir, { onFatal: rethrow, space });
    let isDurable = false;
    const durable = new Promise<void>((resolve) => {
      wal.append([record(1, 'vote')], () => {
        isDurable = true;
        resolve();
      });
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect([isDurable, said]).toEqual([false, [FULL]]);
    state.free = 100;
    await durable;
    expect(said).toEqual([FULL, BACK]);
    await wal.close();
    expect(texts(Wal.open(dir, { onFatal: rethrow }))).toEqual(['vote']);
  });

  test('makes the database wait too', async () => {
    const { said, state, space } = disk(0);
    const dir = tempDir();
    const kv = await LevelStore.open(dir, dir, { space });
    const key = Uint8Array.of(1);
    const batch = kv.batch([{ type: 'put', key, value: key }]);
    await new Promise((resolve) => setImmediate(resolve));
    expect([kv.get(key), said]).toEqual([undefined, [FULL]]);
    state.free = 1000;
    await batch;
    expect(kv.get(key)).toEqual(key);
    await kv.close();
  });

  test('in the middle of a write loses nothing: the same bytes are written again in place', async () => {
    const { said, space } = disk(1000);
    const dir = tempDir();
    let failures = 2;
    const wal = Wal.open(dir, {
      onFatal: rethrow,
      space,
      io: {
        write: (fd, bytes, offset, position) => {
          if (failures > 0 && position > 20 && offset > 0) {
            failures--;
            throw Object.assign(new Error('full'), { code: 'ENOSPC' });
          }
          return writeSync(fd, bytes, offset, Math.min(7, bytes.length - offset), position);
        },
        sync: fdatasync,
      },
    });
    await new Promise<void>((resolve) => wal.append([record(1, 'first')], resolve));
    await new Promise<void>((resolve) => wal.append([record(1, 'second')], resolve));
    expect(said.filter((text) => text.startsWith('is full'))).toHaveLength(2);
    await wal.close();
    expect(texts(Wal.open(dir, { onFatal: rethrow }))).toEqual(['first', 'second']);
  });

  test('at a change of segments loses nothing: the next one is begun again when there is room', async () => {
    const { said, space } = disk(1000);
    const dir = tempDir();
    let failures = 0;
    const wal = Wal.open(dir, {
      onFatal: rethrow,
      space,
      segmentBytesMax: 50,
      io: {
        write: (fd, bytes, offset, position) => {
          if (failures > 0 && position > 0 && position < 20) {
            failures--;
            throw Object.assign(new Error('full'), { code: 'ENOSPC' });
          }
          return writeSync(fd, bytes, offset, Math.min(7, bytes.length - offset), position);
        },
        sync: fdatasync,
      },
    });
    failures = 2;
    await new Promise<void>((resolve) => wal.append([record(1, 'first')], resolve));
    const second = new Promise<void>((resolve) => wal.append([record(1, 'second')], resolve));
    await Promise.all([second, new Promise<void>((resolve) => wal.append([record(1, 'third')], resolve))]);
    expect(said.filter((text) => text.startsWith('is full'))).toHaveLength(2);
    await wal.close();
    expect(texts(Wal.open(dir, { onFatal: rethrow }))).toEqual(['first', 'second', 'third']);
  });

  test('does not keep a stopping node', async () => {
    const { space } = disk(0);
    const wal = Wal.open(tempDir(), { onFatal: rethrow, space });
    wal.append([record(1, 'never')], () => expect.unreachable());
    await wal.close();
  });
});

test('while it waits the process stays: a node that starts on a full disk must not end without a word', async () => {
  const timers = (): number => process.getActiveResourcesInfo().filter((one) => one === 'Timeout').length;
  let free = 0;
  const space = new DiskSpace('/', {
    warn: () => {},
    info: () => {},
    reserveBytes: 10,
    freeBytes: () => free,
    pollMs: 5,
  });
  const before = timers();
  const waiting = space.whenFree();
  expect(timers()).toBeGreaterThan(before);
  free = 100;
  await waiting;
});
