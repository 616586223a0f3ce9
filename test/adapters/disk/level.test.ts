import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { LevelStore } from '../../../adapters/disk/level.ts';
import { damageOf } from '../../../adapters/disk/levelCheck.ts';
import { OperatingError } from '../../../adapters/operatingError.ts';
import { tempDir } from '../tempDir.ts';

const key = (text: string): Uint8Array => new TextEncoder().encode(text);
const put = (name: string, value: string) => ({ type: 'put', key: key(name), value: key(value) }) as const;
const del = (name: string) => ({ type: 'del', key: key(name) }) as const;
const shown = (bytes: Uint8Array | undefined): string | undefined =>
  bytes === undefined ? undefined : new TextDecoder().decode(bytes);

const open = (home: string): Promise<LevelStore> => LevelStore.open(join(home, 'data', 'app.db'), home);

const logFile = (home: string): string => {
  const dir = join(home, 'data', 'app.db');
  return join(dir, readdirSync(dir).find((name) => name.endsWith('.log')) ?? '');
};

describe('the LevelDB store', () => {
  test('reads what a batch wrote, also after a restart; the bytes are no window into a shared buffer', async () => {
    const home = tempDir();
    const first = await open(home);
    await first.batch([put('a', '1'), put('b', '2'), put('c', '')]);
    await first.batch([del('b'), put('a', '3')]);
    expect(shown(first.get(key('a')))).toBe('3');
    await first.close();
    const second = await open(home);
    expect(['a', 'b', 'c'].map((name) => shown(second.get(key(name))))).toEqual(['3', undefined, '']);
    const bytes = second.get(key('a'));
    expect(Buffer.isBuffer(bytes)).toBe(false);
    expect(bytes?.buffer.byteLength).toBe(1);
    await second.close();
  });

  test('refuses a batch once it closes, instead of handing it to a database that is gone', async () => {
    const home = tempDir();
    const store = await open(home);
    await store.batch([put('a', '1')]);
    const closed = store.close();
    await expect(store.batch([del('a')])).rejects.toThrow('cannot write the database');
    await closed;
    await expect(store.batch([del('a')])).rejects.toThrow('the database is not open');
    const again = await open(home);
    expect(shown(again.get(key('a')))).toBe('1');
    await again.close();
  });

  test('gives ranges in key order, reversed and limited', async () => {
    const store = await open(tempDir());
    await store.batch(['d', 'b', 'a', 'c'].map((name) => put(name, name.toUpperCase())));
    const names = async (reverse: boolean, limitMax: number): Promise<string> => {
      const rows = await store.range({ gte: key('a'), lt: key('d'), reverse, limitMax });
      return rows.map(([name, value]) => `${shown(name)}${shown(value)}`).join(' ');
    };
    expect(await names(false, 100)).toBe('aA bB cC');
    expect(await names(true, 100)).toBe('cC bB aA');
    expect(await names(true, 2)).toBe('cC bB');
    await store.close();
  });

  test('held by another process is refused in one line that names it, and free when it was killed', async () => {
    const home = tempDir();
    const script = `
      const { LevelStore } = await import(${JSON.stringify(join(process.cwd(), 'adapters/disk/level.ts'))});
      const store = await LevelStore.open(process.argv[1] + '/data/app.db', process.argv[1]);
      await store.batch([{ type: 'put', key: Uint8Array.of(107), value: Uint8Array.of(118) }]);
      console.log('open');
      setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script, home], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    const refusal = await open(home).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(OperatingError);
    expect((refusal as Error).message).toBe(
      `database is locked by another process (pid ${child.pid}): home ${home}`,
    );
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
    const store = await open(home);
    expect(shown(store.get(key('k')))).toBe('v');
    await store.close();
  });

  test('opens where the home itself cannot be written in, and is then held by nobody in particular', async () => {
    const [dir, home] = [join(tempDir(), 'node.db'), join(tempDir(), 'not', 'there')];
    const store = await LevelStore.open(dir, home);
    await expect(LevelStore.open(dir, home)).rejects.toThrow(
      `database is locked by another process: home ${home}`,
    );
    await store.close();
  });

  test('damaged in the middle of its log is refused, torn at the end is not', async () => {
    const home = tempDir();
    const store = await open(home);
    for (let i = 0; i < 20; i++) await store.batch([put(`key ${i}`, 'x'.repeat(3000))]);
    await store.close();
    const path = logFile(home);
    const whole = readFileSync(path);
    expect(damageOf(whole)).toBeUndefined();
    for (const offset of [10, 5000, 40_000]) {
      const damaged = Buffer.from(whole);
      damaged[offset] = (damaged[offset] as number) ^ 4;
      writeFileSync(path, damaged);
      await expect(open(home)).rejects.toThrow(/^the database is damaged: .*bad record at byte \d+$/);
    }
    writeFileSync(path, whole.subarray(0, whole.length - 100));
    const again = await open(home);
    expect(again.get(key('key 18'))).toBeDefined();
    expect(again.get(key('key 19'))).toBeUndefined();
    await again.close();
  });

  test('whose last batch lacks any of its blocks after a power cut opens without that batch', async () => {
    const home = tempDir();
    const store = await open(home);
    await store.batch([put('before', '1')]);
    await store.batch([put('large', 'x'.repeat(150_000))]);
    await store.close();
    const path = logFile(home);
    const whole = readFileSync(path);
    for (const block of [0, 1, 2, 4]) {
      const torn = Buffer.from(whole).fill(
        0,
        Math.max(512, block * 32_768),
        Math.min(whole.length, (block + 1) * 32_768),
      );
      expect(damageOf(torn)).toBeUndefined();
    }
    writeFileSync(path, Buffer.from(whole).fill(0, 512, 32_768));
    const again = await open(home);
    expect([shown(again.get(key('before'))), again.get(key('large'))]).toEqual(['1', undefined]);
    await again.batch([put('after', '2')]);
    await again.close();
    const third = await open(home);
    expect(shown(third.get(key('after')))).toBe('2');
    await third.close();
  });

  test('that lacks a block of a batch before the last is refused', async () => {
    const home = tempDir();
    const store = await open(home);
    for (const name of ['one', 'two']) await store.batch([put(name, 'x'.repeat(150_000))]);
    await store.close();
    const path = logFile(home);
    writeFileSync(path, readFileSync(path).fill(0, 512, 32_768));
    await expect(open(home)).rejects.toThrow(/^the database is damaged: .*bad record at byte 0$/);
  });

  test('whose manifest is damaged is refused in one line', async () => {
    const home = tempDir();
    await (await open(home)).close();
    writeFileSync(join(home, 'data', 'app.db', 'CURRENT'), 'MANIFEST-999999\n');
    const refusal = await open(home).catch((error: unknown) => error as Error);
    expect(refusal).toBeInstanceOf(OperatingError);
    expect((refusal as Error).message).not.toContain('\n');
  });
});
