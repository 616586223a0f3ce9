import { expect, test } from 'vitest';
import type { Effect, Host, Input, LogRecord, Machine } from '../../../core/node/contract.ts';
import { Driver } from '../../../core/node/driver.ts';

const timer: Effect = { kind: 'timer', key: { machine: 'gossip', kind: 'tick' }, afterMs: 1 };

/** Echoes each submit: a record, then a reply. A peer is a record and a timer; a start is a reply alone. */
const echo: Machine = {
  step(_now, input: Input): readonly Effect[] {
    if (input.kind === 'submit') {
      const record: LogRecord = { height: 1, bytes: input.tx };
      return [reply(input.call), { kind: 'persist', record }];
    }
    if (input.kind === 'peerUp') {
      const record: LogRecord = { height: 1, bytes: new Uint8Array([100]) };
      return [{ kind: 'persist', record }, timer];
    }
    return input.kind === 'start' ? [reply(0)] : [];
  },
};
const reply = (call: number): Effect => ({
  kind: 'reply',
  call,
  result: { kind: 'refused', hash: new Uint8Array(), refusal: { code: 'in-cache' } },
});
const submit = (call: number): Input => ({ kind: 'submit', call, tx: new Uint8Array([call]) });

class SlowDisk implements Host {
  readonly performed: number[] = [];
  readonly appended: number[][] = [];
  durable: (() => void) | undefined;
  onPerform: (call: number) => void = () => {};

  now(): number {
    return 0;
  }
  append(records: readonly LogRecord[], durable: () => void): void {
    this.appended.push(records.map((record) => record.bytes[0] as number));
    this.durable = durable;
  }
  perform(effect: Effect): void {
    if (effect.kind !== 'reply') return;
    this.performed.push(effect.call);
    this.onPerform(effect.call);
  }
}

test('nothing leaves before the records of its burst are durable', () => {
  const disk = new SlowDisk();
  const driver = new Driver(echo, disk);
  driver.input(submit(1));
  expect(disk.performed).toEqual([]);
  disk.durable?.();
  expect(disk.performed).toEqual([1]);
});

test('inputs that arrive during a sync share the next one, in order', () => {
  const disk = new SlowDisk();
  const driver = new Driver(echo, disk);
  for (const call of [1, 2, 3]) driver.input(submit(call));
  expect(driver.backlog).toBe(2);
  disk.durable?.();
  expect(disk.appended).toEqual([[1], [2, 3]]);
  expect(disk.performed).toEqual([1]);
  disk.durable?.();
  expect(disk.performed).toEqual([1, 2, 3]);
});

test('an effect without records waits behind the burst it came with, not behind later ones', () => {
  const disk = new SlowDisk();
  const driver = new Driver(echo, disk);
  driver.input({ kind: 'start' });
  expect(disk.performed).toEqual([0]);
  driver.input(submit(1));
  driver.input({ kind: 'start' });
  expect(disk.performed).toEqual([0]);
  disk.durable?.();
  expect(disk.performed).toEqual([0, 1, 0]);
});

test('an input given while effects are performed is handled after them, without recursion', () => {
  const disk = new SlowDisk();
  disk.append = (_records, durable) => durable();
  const driver = new Driver(echo, disk);
  disk.onPerform = (call) => {
    if (call > 0 && call < 20_000) driver.input(submit(call + 1));
  };
  driver.input(submit(1));
  expect(disk.performed).toHaveLength(20_000);
});

test('a record on which nothing outward depends waits for the next append, and goes first in it', () => {
  const disk = new SlowDisk();
  const driver = new Driver(echo, disk);
  driver.input({ kind: 'peerUp', peer: 'a' });
  expect(disk.appended).toEqual([]);
  driver.input({ kind: 'start' });
  expect(disk.appended).toEqual([[100]]);
  expect(disk.performed).toEqual([]);
  disk.durable?.();
  expect(disk.performed).toEqual([0]);
  driver.input({ kind: 'peerUp', peer: 'b' });
  driver.input(submit(1));
  expect(disk.appended).toEqual([[100], [100, 1]]);
});

test('at most 128 records are held back', () => {
  const disk = new SlowDisk();
  const driver = new Driver(echo, disk);
  for (let i = 0; i < 200; i++) driver.input({ kind: 'peerUp', peer: 'a' });
  expect(disk.appended[0]).toHaveLength(128);
});

/** Answers each frame to its sender, and each submit after its record is durable. */
const answering: Machine = {
  step: (now, input) =>
    input.kind === 'frame'
      ? [{ kind: 'send', to: [input.peer, 'other'], channel: input.channel, bytes: input.bytes }]
      : echo.step(now, input),
};
const ask = (byte: number): Input => ({
  kind: 'frame',
  peer: 'a',
  channel: 0x40,
  bytes: new Uint8Array([byte]),
});

const up: Input = { kind: 'peerUp', peer: 'a' };
const down: Input = { kind: 'peerDown', peer: 'a' };

test.each<[string, readonly Input[], readonly Input[]]>([
  ['in the burst that ends it', [submit(1), ask(1), down], []],
  ['while the records of its burst become durable', [submit(1), submit(2), ask(1)], [down]],
  ['that has ended, unheard', [submit(1), submit(2), ask(1)], [down, up, down]],
])('what was asked over a connection, %s, is not answered over the next', (_, before, during) => {
  const disk = new SlowDisk();
  const sent: string[] = [];
  disk.perform = (effect) => {
    if (effect.kind === 'send') sent.push(`${effect.bytes[0]}>${effect.to.join()}`);
  };
  const driver = new Driver(answering, disk);
  for (const input of before) driver.input(input);
  disk.durable?.();
  for (const input of [...during, up, ask(2)]) driver.input(input);
  while (sent.length < 2) disk.durable?.();
  expect(sent).toEqual(['1>other', '2>a,other']);
});

test('inputs that waited for a sync are handled once each and in order, at most 256 to a sync', () => {
  const disk = new SlowDisk();
  const driver = new Driver(echo, disk);
  const calls = Array.from({ length: 1_000 }, (_, i) => i + 1);
  for (const call of calls) driver.input(submit(call));
  while (disk.durable !== undefined) {
    const { durable } = disk;
    disk.durable = undefined;
    durable();
  }
  expect(disk.performed).toEqual(calls);
  expect(disk.appended.map((records) => records.length)).toEqual([1, 256, 256, 256, 231]);
});
