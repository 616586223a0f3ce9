import { describe, expect, test } from 'vitest';
import { encodeUtf8 } from '../../../core/lib/utf8.ts';
import { DiskFault, KvDisk, type KvGate, KvHandle } from '../../../sim/disk/kvDisk.ts';
import { runScenario } from '../../../sim/run.ts';
import { parseScenario } from '../../../sim/scenario/parse.ts';
import { Choices } from '../../../sim/world/choices.ts';
import { scenarioText } from '../../support/scenarios.ts';

/** Runs a scenario and gathers why nodes stopped themselves. */
async function run(text: string, seed: string) {
  const stops: string[] = [];
  const result = await runScenario(text, {
    seed,
    crypto: 'keyed-hash',
    trace(line) {
      const { kind, text: reason } = JSON.parse(line) as { kind: string; text?: string };
      if (kind === 'halt') stops.push(reason ?? '');
    },
  });
  if (!result.ok) throw new Error(result.error.message);
  return { report: result.value, stops };
}

describe('with a bad drive a node recovers or refuses, and never lies', () => {
  test('a failed sync stops the node at once, and it comes back from what is durable', async () => {
    const { report, stops } = await run(scenarioText('disk-sync-fails'), '2');
    expect(stops).toHaveLength(2);
    for (const reason of stops) expect(reason).toMatch(/^cannot write the (log|database): .*EIO/);
    expect(report.nodes[2]).toMatchObject({ name: 'v2', state: 'up', lives: 3 });
  });

  test('a lost batch is named where the store is opened', async () => {
    const { report, stops } = await run(scenarioText('disk-lost-batch'), '2');
    expect(stops[0]).toContain('the database lacks');
    expect(report.nodes[2]?.state).toBe('halted');
  });

  test.each([
    ['disk-stale-read', 'storage fault: head read back is not the one just written'],
    ['disk-stale-index', 'storage fault: the index reaches to 4, not to 5'],
  ])('%s: a stale record is noticed by the node that has just written it', async (scenario, fault) => {
    const { stops } = await run(scenarioText(scenario), '1');
    expect(stops[0]).toContain(fault);
  });

  test('rot in the whole database stops that node and no other', async () => {
    const everywhere = scenarioText('disk-rot')
      .replace('every: 2s', 'every: 10ms')
      .replace('for: 1s', 'for: 500ms');
    const { report, stops } = await run(everywhere, '1');
    expect(report.failures).toEqual([]);
    expect(stops.some((reason) => reason.includes('storage fault'))).toBe(true);
    expect(report.nodes.filter(({ state }) => state === 'halted').map(({ name }) => name)).toEqual(['v2']);
  });
});

describe('the database on a bad drive', () => {
  const key = (text: string): Uint8Array => encodeUtf8(text);
  const put = (name: string, value: string) => ({ type: 'put', key: key(name), value: key(value) }) as const;
  const choices = (n: number) => new Choices({ seed: '1', replay: new Map([['disk', [n]]]) }).stream('disk');
  const filled = (): KvDisk => {
    const disk = new KvDisk();
    disk.apply([put('a', '1'), put('b', '1')]);
    disk.apply([put('a', '2'), put('c', '2')]);
    disk.apply([put('a', '3')]);
    return disk;
  };
  const read = (disk: KvDisk): unknown =>
    disk.entries().map(({ key: k, value: v }) => `${String.fromCharCode(...k)}=${String.fromCharCode(...v)}`);

  test('loses the newest batch whole', () => {
    const disk = filled();
    expect(disk.damage('lost_batch', choices(0))).toBe(true);
    expect(read(disk)).toEqual(['a=2', 'b=1', 'c=2']);
  });

  test('loses a batch in the middle and keeps what came after it', () => {
    const disk = filled();
    disk.damage('lost_batch', choices(1));
    expect(read(disk)).toEqual(['a=3', 'b=1']);
  });

  test('answers stale only for what the newest batch has changed, and only for a while', () => {
    const disk = filled();
    disk.damage('stale', choices(0));
    expect(disk.get(key('b'))).toEqual(key('1'));
    const answers = Array.from({ length: 10 }, () => String.fromCharCode(...(disk.get(key('a')) ?? [])));
    expect(answers.join('')).toBe('2222222233');
  });

  test('refuses one of the reads to come, and has everything still', () => {
    const disk = filled();
    const before = read(disk);
    disk.damage('unreadable', choices(1));
    const node = new KvHandle(disk, { alive: true, beforeBatch() {}, afterBatch() {} });
    const isRefused = Array.from({ length: 10 }, () => {
      try {
        node.get(key('a'));
        return false;
      } catch (error) {
        return error instanceof DiskFault;
      }
    });
    expect(isRefused.map(Number)).toEqual([1, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    expect(read(disk)).toEqual(before);
  });

  test('keeps its faults for a life that they can hurt', () => {
    const [dead, living] = [false, true].map((alive) => ({ alive, beforeBatch() {}, afterBatch() {} }));
    const disk = filled();
    const first = new KvHandle(disk, dead as KvGate);
    const next = new KvHandle(disk, living as KvGate);
    disk.damage('stale', choices(0));
    for (let i = 0; i < 10; i++) expect(() => first.get(key('a'))).toThrow('power cut');
    expect(next.get(key('a'))).toEqual(key('2'));
    disk.damage('unreadable', choices(1));
    for (let i = 0; i < 10; i++) expect(() => first.get(key('a'))).toThrow('power cut');
    expect(() => next.get(key('a'))).toThrow('EIO');
  });
});

describe('scenario files say what a drive does', () => {
  const withDisk = (entry: string): string => `name: x\ntimeline:\n  - ${entry}\nuntil: {height: 1}\n`;
  const error = (entry: string): string | undefined => {
    const parsed = parseScenario(withDisk(entry));
    return parsed.ok ? undefined : parsed.error.message;
  };

  test('and are refused where they do not fit', () => {
    expect(error('{at: 1s, do: {disk: {target: v0, fault: rot, file: wal}}}')).toContain('one of db');
    expect(error('{at: 1s, do: {disk: {target: v0, fault: torn, file: db}}}')).toContain('one of wal');
    expect(error('{at: 1s, do: {disk: {target: v0, fault: eio, file: db}}}')).toContain('no file with eio');
    expect(error('{at: 1s, do: {disk: {target: v0, fault: full}}}')).toContain('expected a key for');
    expect(error('{at: 1s, do: {disk: {target: v0, fault: rot}}, for: 1s}')).toContain('expected no key for');
    expect(error('{at: 1s, do: {disk: {target: v0, fault: slow}}, for: 1s}')).toBeUndefined();
  });
});
