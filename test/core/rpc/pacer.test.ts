import { expect, test } from 'vitest';
import { Outbox, SOCKET_BYTES_MAX } from '../../../core/rpc/outbox.ts';
import { Pacer } from '../../../core/rpc/pacer.ts';
import type { Height } from '../../../core/types/ids.ts';
import { FakeSocket } from './support/rpcWorld.ts';

/** A pause that ends when the test says so. */
function turns() {
  let waiting: (() => void)[] = [];
  return {
    pause: () => new Promise<void>((resolve) => waiting.push(resolve)),
    async next(): Promise<void> {
      const due = waiting;
      waiting = [];
      for (const resolve of due) resolve();
      await Promise.resolve();
      await Promise.resolve();
    },
    get isAsked() {
      return waiting.length > 0;
    },
  };
}

const batch = (from: number) => {
  const texts = Array.from({ length: 32 }, (_, i) => `${from + i}`.padEnd(1024, '.'));
  return { texts, length: 32 * 1024 };
};

const numbers = (socket: FakeSocket): readonly number[] =>
  socket.sent.map((text) => Number.parseInt(text.slice(1), 10));

test('events of a block are written to a thousand clients in slices, in order', async () => {
  const turn = turns();
  const pacer = new Pacer(turn.pause);
  const clients = Array.from({ length: 1000 }, () => {
    const socket = new FakeSocket();
    return { socket, outbox: new Outbox(socket, 64 * 1024 * 1024, pacer) };
  });
  for (const from of [0, 32, 64]) {
    const shared = batch(from);
    for (const { outbox } of clients) expect(outbox.pushShared('#', shared, 7 as Height)).toBe(true);
  }
  const served = () => clients.reduce((sum, { socket }) => sum + socket.sent.length, 0);
  for (let before = 0, count = 0; served() < 96_000; count++) {
    expect(served() - before).toBeLessThanOrEqual(32 * 10);
    expect(count).toBeLessThan(1000);
    before = served();
    await turn.next();
  }
  for (const { socket } of clients) expect(numbers(socket)).toEqual(Array.from({ length: 96 }, (_, i) => i));
  await turn.next();
  expect(turn.isAsked).toBe(false);
});

test('an answer waits for no turn, and never overtakes an event', () => {
  const { pause } = turns();
  const pacer = new Pacer(pause);
  const [busy, idle] = [new FakeSocket(), new FakeSocket()];
  const busyBox = new Outbox(busy, 64 * 1024 * 1024, pacer);
  for (let i = 0; i < 20; i++) busyBox.pushShared('#', batch(0), 7 as Height);
  busyBox.push('#-1');
  new Outbox(idle, 1024, pacer).push('answer');
  expect(idle.sent).toEqual(['answer']);
  expect(busy.sent.length).toBeLessThan(640);
  expect(busy.sent).not.toContain('#-1');
});

test('a dropped client does not delay the others', async () => {
  const turn = turns();
  const pacer = new Pacer(turn.pause);
  const [gone, here] = [new FakeSocket(), new FakeSocket()];
  const boxes = [gone, here].map((socket) => new Outbox(socket, 64 * 1024 * 1024, pacer));
  for (let i = 0; i < 20; i++) for (const box of boxes) box.pushShared('#', batch(32 * i), 7 as Height);
  expect(boxes[0]?.drop()).toBe(7);
  const before = gone.sent.length;
  for (let i = 0; i < 10; i++) await turn.next();
  expect(gone.sent.length).toBe(before);
  expect(here.sent.length).toBe(640);
});

test('sent messages free room, and dropping the rest tells the lowest height among them', () => {
  const socket = new FakeSocket();
  const outbox = new Outbox(socket, SOCKET_BYTES_MAX + 100, new Pacer(undefined));
  const message = '.'.repeat(60);
  for (let i = 0; i < 10; i++) {
    socket.unread = SOCKET_BYTES_MAX;
    expect(outbox.push(message, (9 - i) as Height)).toBe(true);
    expect(outbox.push(message, 20 as Height)).toBe(false);
    socket.unread = 0;
    outbox.flush();
    expect(outbox.bytes).toBe(0);
  }
  expect(socket.sent).toHaveLength(10);
  socket.unread = SOCKET_BYTES_MAX;
  for (const height of [6, 4, undefined, 8]) outbox.push('.', height as Height | undefined);
  expect(outbox.drop()).toBe(4);
});
