import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { crc32c, RangeCrc } from '../../../adapters/disk/crc32c.ts';
import { Wal, type WalOptions } from '../../../adapters/disk/wal.ts';
import { scanSegment } from '../../../adapters/disk/walFormat.ts';
import { segmentPath } from '../../../adapters/disk/walRecovery.ts';
import { reportWal } from '../../../adapters/disk/walReport.ts';
import { OperatingError } from '../../../adapters/operatingError.ts';
import { toHex } from '../../../core/lib/bytes.ts';
import type { LogRecord } from '../../../core/node/contract.ts';
import { tempDir } from '../tempDir.ts';

/** Bytes that were read for checksums, one range after another. */
const summed = vi.hoisted(() => ({ bytes: 0 }));

vi.mock('../../../adapters/disk/crc32c.ts', async (original) => {
  const actual = await original<typeof import('../../../adapters/disk/crc32c.ts')>();
  const counted: typeof actual.crc32c = (bytes, start = 0, end = bytes.length) => {
    summed.bytes += end - start;
    return actual.crc32c(bytes, start, end);
  };
  return { ...actual, crc32c: counted };
});

const rethrow: WalOptions = {
  onFatal: (error) => {
    throw error;
  },
};

const append = (wal: Wal, ...records: LogRecord[]): Promise<void> =>
  new Promise((resolve) => wal.append(records, resolve));

const record = (height: number, text: string): LogRecord => ({
  height,
  bytes: new TextEncoder().encode(text),
});

const texts = (records: readonly LogRecord[]): string[] =>
  records.map(({ height, bytes }) => `${height}:${new TextDecoder().decode(bytes)}`);

/** A log of one segment with these records, and its bytes. */
async function writtenLog(dir: string, records: readonly LogRecord[]): Promise<Uint8Array> {
  const wal = Wal.open(dir, rethrow);
  for (const one of records) await append(wal, one);
  await wal.close();
  return new Uint8Array(readFileSync(segmentPath(dir, 1)));
}

/** Opens a log whose only segment has these bytes. */
function openDamaged(dir: string, bytes: Uint8Array): Wal {
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir);
  writeFileSync(segmentPath(dir, 1), bytes);
  return Wal.open(dir, rethrow);
}

const isPrefix = (found: readonly string[], whole: readonly string[]): boolean =>
  found.length <= whole.length && found.every((text, i) => text === whole[i]);

test('crc32c answers the check value of RFC 3720', () => {
  expect(crc32c(new TextEncoder().encode('123456789'))).toBe(0xe3069283);
  expect(crc32c(new Uint8Array(32))).toBe(0x8a9136aa);
});

test('the crc of any range is the same when all are asked for', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), fc.nat(400), fc.nat(400), (bytes, a, b) => {
      const [start = 0, end = 0] = [a, b].map((at) => Math.min(at, bytes.length)).sort((x, y) => x - y);
      expect(new RangeCrc(bytes).of(start, end)).toBe(crc32c(bytes, start, end));
    }),
  );
  const long = Uint8Array.from({ length: 3_000_000 }, (_, i) => i % 251);
  expect(new RangeCrc(long).of(1_000, 2_999_999)).toBe(crc32c(long, 1_000, 2_999_999));
});

describe('a log', () => {
  test('gives back after a restart what was durable, in order', async () => {
    const dir = tempDir();
    const first = Wal.open(dir, rethrow);
    expect(first.records()).toEqual([]);
    await append(first, record(1, 'a'), record(1, ''), record(2, 'b'));
    await append(first, record(2, 'c'));
    await first.close();
    const second = Wal.open(dir, rethrow);
    expect(texts(second.records())).toEqual(['1:a', '1:', '2:b', '2:c']);
    await append(second, record(3, 'd'));
    await second.close();
    expect(texts(Wal.open(dir, rethrow).records())).toEqual(['1:a', '1:', '2:b', '2:c', '3:d']);
  });

  test('takes no record that it would not read again, and writes no more marks at once than are of use', async () => {
    const dir = tempDir();
    const wal = Wal.open(dir, { ...rethrow, recordBytesMax: 5 });
    for (let height = 1; height <= 20; height++) wal.turnover(height);
    await append(wal, record(21, 'whole'));
    expect(() => wal.append([record(21, 'longer')], () => {})).toThrow('log record of 6 bytes');
    await wal.close();
    const { frames } = scanSegment(new Uint8Array(readFileSync(segmentPath(dir, 1))), 1, 5);
    const heights = frames.filter(({ kind }) => kind === 'mark').map(({ height }) => height);
    expect(heights).toEqual(Array.from({ length: 16 }, (_, i) => i + 5));
    expect(texts(frames.filter(({ kind }) => kind === 'record'))).toEqual(['21:whole']);
    const { fault } = scanSegment(new Uint8Array(readFileSync(segmentPath(dir, 1))), 1, 4);
    expect(fault?.reason).toBe('length');
  });

  test('calls back in the order of appends, and gathers appends made while a sync is under way', async () => {
    const wal = Wal.open(tempDir(), rethrow);
    const order: number[] = [];
    await new Promise<void>((resolve) => {
      wal.append([record(1, 'a')], () => order.push(1));
      wal.append([record(1, 'b')], () => {
        order.push(2);
        wal.append([record(1, 'd')], () => {
          order.push(4);
          resolve();
        });
      });
      wal.append([record(1, 'c')], () => order.push(3));
    });
    expect(order).toEqual([1, 2, 3, 4]);
    expect(texts([...wal.history()])).toEqual(['1:a', '1:b', '1:c', '1:d']);
  });

  test('leaves finished heights out of recovery once their mark is on disk', async () => {
    const dir = tempDir();
    const wal = Wal.open(dir, rethrow);
    await append(wal, record(1, 'a'), record(2, 'early'));
    wal.turnover(1);
    await append(wal, record(2, 'b'));
    await wal.close();
    const again = Wal.open(dir, rethrow);
    expect(again.turnedOver).toBe(1);
    expect(texts(again.records())).toEqual(['2:early', '2:b']);
    expect(texts([...again.history()])).toEqual(['1:a', '2:early', '2:b']);
  });

  test('deletes old segments beyond what it keeps, never one with an unfinished height', async () => {
    const dir = tempDir();
    const wal = Wal.open(dir, { ...rethrow, segmentBytesMax: 200, keepBytesMax: 400 });
    for (let height = 1; height <= 40; height++) {
      await append(wal, record(height, 'x'.repeat(50)), record(height, 'y'.repeat(50)));
      if (height <= 30) wal.turnover(height);
    }
    await wal.close();
    const again = Wal.open(dir, rethrow);
    expect(again.turnedOver).toBe(30);
    expect(new Set(again.records().map(({ height }) => height))).toEqual(
      new Set([31, 32, 33, 34, 35, 36, 37, 38, 39, 40]),
    );
    expect(again.records().length).toBe(20);
    const heights = [...again.history()].map(({ height }) => height);
    expect(Math.min(...heights)).toBeGreaterThan(20);
  });

  test('cut at any byte gives whole records of the prefix, and goes on from there', async () => {
    const dir = join(tempDir(), 'log');
    const written = [record(1, 'first'), record(1, ''), record(2, 'third, longer'), record(3, 'd')];
    const bytes = await writtenLog(dir, written);
    for (let length = 0; length <= bytes.length; length++) {
      const wal = openDamaged(dir, bytes.subarray(0, length));
      const found = texts(wal.records());
      expect(isPrefix(found, texts(written))).toBe(true);
      expect(wal.damage).toBeUndefined();
      if (length === bytes.length) expect(found.length).toBe(4);
      await append(wal, record(9, 'new'));
      await wal.close();
      expect(texts(Wal.open(dir, rethrow).records())).toEqual([...found, '9:new']);
    }
    expect(readdirSync(dir).some((name) => name.includes('CORRUPTED'))).toBe(false);
  });

  test('with any one bit flipped gives whole records of the prefix only', async () => {
    const dir = join(tempDir(), 'log');
    const written = [record(1, 'first'), record(2, ''), record(2, 'third'), record(3, 'fourth')];
    const bytes = await writtenLog(dir, written);
    const flipped = (bit: number): Uint8Array => {
      const damaged = bytes.slice();
      damaged[bit >> 3] = (damaged[bit >> 3] as number) ^ (1 << (bit & 7));
      return damaged;
    };
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const { frames, fault } = scanSegment(flipped(bit), 1, 1000);
      expect(fault).toBeDefined();
      expect(isPrefix(texts(frames), texts(written))).toBe(true);
    }
    for (let at = 0; at < bytes.length; at++) {
      const damaged = flipped(8 * at + (at % 8));
      const wal = openDamaged(dir, damaged);
      const found = texts(wal.records());
      expect(isPrefix(found, texts(written))).toBe(true);
      expect(found.length).toBeLessThan(written.length);
      await wal.close();
    }
  });

  test('takes no whole record that was written to the place of another', async () => {
    const written = ['1:a', '1:b', '1:c'];
    const bytes = await writtenLog(join(tempDir(), 'log'), [record(1, 'a'), record(1, 'b'), record(1, 'c')]);
    const size = (bytes.length - 20) / 3;
    const moved = bytes.slice();
    moved.copyWithin(20 + size, 20, 20 + size);
    expect(texts(openDamaged(join(tempDir(), 'log'), moved).records())).toEqual(written.slice(0, 1));
  });

  test('survives any damage without a record that was not written, or one given twice', async () => {
    const base = tempDir();
    const written = Array.from({ length: 12 }, (_, i) => record(1 + (i >> 2), `record ${i}`));
    const bytes = await writtenLog(join(base, 'whole'), written);
    const damage = fc.array(
      fc.oneof(
        fc.record({ cut: fc.nat(bytes.length) }),
        fc.record({ at: fc.nat(bytes.length - 1), value: fc.nat(255) }),
        fc.record({ at: fc.nat(bytes.length - 1), zeros: fc.nat(64) }),
        fc.record({ from: fc.nat(bytes.length - 1), copied: fc.nat(80), to: fc.nat(bytes.length - 1) }),
      ),
      { minLength: 1, maxLength: 4 },
    );
    await fc.assert(
      fc.asyncProperty(damage, async (changes) => {
        let damaged = bytes.slice();
        for (const change of changes) {
          if ('cut' in change) damaged = damaged.slice(0, change.cut);
          else if ('value' in change) damaged.fill(change.value, change.at, change.at + 1);
          else if ('zeros' in change) damaged.fill(0, change.at, change.at + change.zeros);
          else damaged.copyWithin(change.to, change.from, change.from + change.copied);
        }
        const wal = openDamaged(join(base, 'damaged'), damaged);
        const found = texts(wal.records());
        await wal.close();
        expect(isPrefix(found, texts(written))).toBe(true);
      }),
      { numRuns: 100 },
    );
  });

  test('damaged before its end keeps a copy and says that records may be lost', async () => {
    const dir = join(tempDir(), 'log');
    const bytes = await writtenLog(dir, [record(1, 'a'), record(1, 'damaged'), record(1, 'c')]);
    bytes[bytes.length - 30] = 0xff;
    const wal = openDamaged(dir, bytes);
    expect(texts(wal.records())).toEqual(['1:a']);
    expect(wal.damage).toMatchObject({ lossy: true, copy: '000000000001.wal.CORRUPTED', reason: 'checksum' });
    expect(new Uint8Array(readFileSync(`${segmentPath(dir, 1)}.CORRUPTED`))).toEqual(bytes);
    await append(wal, record(1, 'd'));
    await wal.close();
    expect(texts(Wal.open(dir, rethrow).records())).toEqual(['1:a', '1:d']);
  });

  test('repeatedly damaged keeps at most 8 copies of damaged files', async () => {
    const dir = join(tempDir(), 'log');
    const bytes = await writtenLog(dir, [record(1, 'a'), record(1, 'damaged'), record(1, 'c')]);
    bytes[bytes.length - 30] = 0xff;
    for (let time = 0; time < 10; time++) {
      writeFileSync(segmentPath(dir, 1), bytes);
      await Wal.open(dir, rethrow).close();
    }
    const copies = readdirSync(dir).filter((name) => name.includes('CORRUPTED'));
    expect(copies).toHaveLength(8);
  });

  test('damaged in finished heights keeps all that is still needed, and says that nothing is lost', async () => {
    const dir = join(tempDir(), 'log');
    const wal = Wal.open(dir, rethrow);
    for (let height = 1; height <= 6; height++) {
      await append(wal, record(height, `a record of height ${height}`));
      if (height < 6) wal.turnover(height);
    }
    await append(wal, record(6, 'the last'));
    await wal.close();
    const bytes = new Uint8Array(readFileSync(segmentPath(dir, 1)));
    // In the header, in a record, in the length of one, in its height.
    for (const at of [3, 45, 25, 36]) {
      const damaged = bytes.slice();
      damaged[at] = (damaged[at] as number) ^ 4;
      const again = openDamaged(dir, Uint8Array.from([...damaged, 1, 2, 3]));
      expect(texts(again.records())).toEqual(['6:a record of height 6', '6:the last']);
      expect(again.turnedOver).toBe(5);
      expect(again.damage).toMatchObject({ lossy: false });
      expect(again.cut).toMatchObject({ offset: bytes.length, bytes: 3 });
      expect(reportWal(again).map(({ text }) => text)).toEqual([
        expect.stringMatching(/^the log is damaged at byte \d+ of .*: nothing is lost/),
        expect.stringMatching(/the last 3 bytes, from byte \d+ of .* on, were cut off$/),
      ]);
      await append(again, record(7, 'new'));
      await again.close();
      expect(texts(Wal.open(dir, rethrow).records()).at(-1)).toBe('7:new');
    }
  });

  test('keeps the format that the logs of running nodes have', async () => {
    const bytes = await writtenLog(join(tempDir(), 'log'), [record(7, 'a')]);
    expect(toHex(bytes)).toBe(
      '6f72727977616c020000000000000001e99ddb9a' + '5dbb1b140000000101000000000000000761',
    );
  });

  test('that ends in an unfinished write, or a flipped last record, says what was cut off', async () => {
    const dir = join(tempDir(), 'log');
    const bytes = await writtenLog(dir, [record(1, 'a'), record(1, 'last')]);
    expect(openDamaged(dir, bytes).cut).toBeUndefined();
    const torn = openDamaged(dir, bytes.subarray(0, bytes.length - 2));
    expect(torn.cut).toMatchObject({ offset: bytes.length - 21, bytes: 19 });
    bytes[bytes.length - 1] = 0;
    const flipped = openDamaged(dir, bytes);
    expect(flipped.cut).toMatchObject({ offset: bytes.length - 21, bytes: 21 });
    expect(texts(flipped.records())).toEqual(['1:a']);
    expect(reportWal(flipped)).toHaveLength(1);
  });

  test('is searched once, whatever lengths the content of a torn record claims', async () => {
    const dir = join(tempDir(), 'log');
    // Of every eight places one looks like a frame of half the record.
    const claims = Uint8Array.from({ length: 1 << 18 }, (_, i) => [0, 2, 0, 0, 1, 0, 0, 0][i % 8] as number);
    const bytes = await writtenLog(dir, [record(1, 'a'), { height: 1, bytes: claims }]);
    summed.bytes = 0;
    const wal = openDamaged(dir, bytes.subarray(0, bytes.length - 2));
    expect(wal.cut?.bytes).toBe(17 + claims.length - 2);
    expect(texts(wal.records())).toEqual(['1:a']);
    expect(summed.bytes).toBeLessThan(2 * bytes.length);
    // A whole record behind such content is still found.
    const third = await writtenLog(join(tempDir(), 'log'), [
      record(1, 'a'),
      { height: 1, bytes: claims },
      record(1, 'c'),
    ]);
    // The length of the second now reaches beyond the file.
    third[43] = 0xff;
    const lossy = openDamaged(dir, third);
    expect(lossy.damage).toMatchObject({ lossy: true });
    expect(reportWal(lossy).map(({ level, text }) => `${level}: ${text}`)).toEqual([
      expect.stringMatching(
        /^warn: the log is damaged at byte \d+ of .*: what follows is not used any more and kept in /,
      ),
    ]);
  });

  test('that lost something says so at every start until recovery was once over', async () => {
    const dir = join(tempDir(), 'log');
    const bytes = await writtenLog(dir, [record(1, 'a'), record(1, 'last')]);
    expect(openDamaged(dir, bytes).losses).toEqual({ cut: false, lossy: false });
    expect(openDamaged(dir, bytes.subarray(0, bytes.length - 2)).losses).toEqual({ cut: true, lossy: false });
    // The process ended before anybody could draw conclusions; the log is whole now.
    const again = Wal.open(dir, rethrow);
    expect(again.cut).toBeUndefined();
    expect(again.losses).toEqual({ cut: true, lossy: false });
    again.forget();
    await again.close();
    expect(Wal.open(dir, rethrow).losses).toEqual({ cut: false, lossy: false });
  });

  test('damaged in an earlier segment drops the later ones too, unless they prove its heights finished', async () => {
    for (const finished of [false, true]) {
      const dir = tempDir();
      const wal = Wal.open(dir, { ...rethrow, segmentBytesMax: 120 });
      for (let height = 1; height <= 8; height++) {
        await append(wal, record(height, 'x'.repeat(40)));
        if (finished && height < 8) wal.turnover(height);
      }
      await wal.close();
      const path = segmentPath(dir, 2);
      const bytes = readFileSync(path);
      bytes[40] = (bytes[40] as number) ^ 1;
      writeFileSync(path, bytes);
      const again = Wal.open(dir, rethrow);
      expect(again.damage?.lossy).toBe(!finished);
      expect(again.records().map(({ height }) => height)).toEqual(finished ? [8] : [1]);
      await append(again, record(9, 'new'));
      await again.close();
      expect(Wal.open(dir, rethrow).records().at(-1)?.height).toBe(9);
    }
  });

  test('with a segment missing in the middle keeps what comes before the gap', async () => {
    const dir = tempDir();
    const wal = Wal.open(dir, { ...rethrow, segmentBytesMax: 60 });
    for (let height = 1; height <= 4; height++) await append(wal, record(height, 'x'.repeat(30)));
    await wal.close();
    rmSync(segmentPath(dir, 2));
    const again = Wal.open(dir, rethrow);
    expect(again.records().map(({ height }) => height)).toEqual([1]);
    expect(again.damage?.lossy).toBe(true);
    await append(again, record(5, 'new'));
    await again.close();
    expect(
      Wal.open(dir, rethrow)
        .records()
        .map(({ height }) => height),
    ).toEqual([1, 5]);
  });

  test('whose sync fails once reports it, never calls back and never writes again', async () => {
    const dir = tempDir();
    let syncs = 0;
    let isDurable = false;
    const failure = await new Promise<OperatingError>((onFatal) => {
      const wal = Wal.open(dir, {
        onFatal,
        io: {
          write: (_fd, bytes, offset) => bytes.length - offset,
          sync: (_fd, done) => {
            syncs += 1;
            done(Object.assign(new Error('i/o'), { code: 'EIO' }));
          },
        },
      });
      wal.append([record(1, 'a')], () => {
        isDurable = true;
      });
      wal.append([record(1, 'b')], () => {
        isDurable = true;
      });
    });
    expect(failure).toBeInstanceOf(OperatingError);
    expect(failure.message).toBe(`cannot write the log ${segmentPath(dir, 1)}: input/output error`);
    expect([syncs, isDurable]).toEqual([1, false]);
  });

  test('on a full disk stops with the reason', async () => {
    const failure = await new Promise<OperatingError>((onFatal) => {
      const io = {
        write: (_fd: number, bytes: Uint8Array, _offset: number, position: number) => {
          // The segment's header finds room.
          if (position === 0) return bytes.length;
          throw Object.assign(new Error('full'), { code: 'ENOSPC' });
        },
        sync: () => expect.unreachable(),
      };
      Wal.open(tempDir(), { onFatal, io }).append([record(1, 'a')], () => expect.unreachable());
    });
    expect(failure.message).toMatch(/no space left on device$/);
  });

  test('continues short writes where they ended', async () => {
    const { writeSync, fdatasync } = await import('node:fs');
    const dir = tempDir();
    const wal = Wal.open(dir, {
      ...rethrow,
      io: {
        write: (fd, bytes, offset, position) =>
          writeSync(fd, bytes, offset, Math.min(5, bytes.length - offset), position),
        sync: fdatasync,
      },
    });
    await append(wal, record(1, 'written in pieces'));
    await wal.close();
    expect(texts(Wal.open(dir, rethrow).records())).toEqual(['1:written in pieces']);
  });

  test('in a place that is no directory is an OperatingError', () => {
    const path = join(tempDir(), 'file');
    writeFileSync(path, '');
    expect(() => Wal.open(path, rethrow)).toThrow(OperatingError);
    expect(existsSync(path)).toBe(true);
  });
});
