import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import type { WebSocket } from 'ws';
import { WsClient, type WsLimits } from '../../../adapters/ws/wsClient.ts';

class FakeWs extends EventEmitter {
  readonly OPEN = 1;
  readonly readyState = 1;
  isPaused = false;
  pings = 0;
  bufferedAmount = 0;
  /** What ws calls when a text has reached the socket. */
  readonly sent: (() => void)[] = [];
  send(text: string, written: () => void): void {
    this.bufferedAmount += text.length;
    this.sent.push(() => {
      this.bufferedAmount -= text.length;
      written();
    });
  }
  pause(): void {
    this.isPaused = true;
  }
  resume(): void {
    this.isPaused = false;
  }
  ping(): void {
    this.pings += 1;
  }
}

const NONE: WsLimits = {
  connectionsMax: Number.POSITIVE_INFINITY,
  frameBytesMax: Number.POSITIVE_INFINITY,
  waitingMax: Number.POSITIVE_INFINITY,
  bufferedBytesMax: Number.POSITIVE_INFINITY,
  unreadBytesMax: Number.POSITIVE_INFINITY,
  pingMs: Number.POSITIVE_INFINITY,
  silenceMs: Number.POSITIVE_INFINITY,
};

/** A client that has no limits but these. */
function connected(limits: Partial<WsLimits>): { ws: FakeWs; client: WsClient } {
  const ws = new FakeWs();
  const fail = (error: unknown): void => {
    throw error;
  };
  const all = { ...NONE, ...limits };
  const client = new WsClient(ws as unknown as WebSocket, new PassThrough(), all, fail, () => {});
  return { ws, client };
}

test.each([
  ['messages', { waitingMax: 3 }],
  ['bytes', { frameBytesMax: 30 }],
])('a client of whom so many %s wait is not read from until one is handled', async (_, limits) => {
  const { ws, client } = connected(limits);
  const handled: (() => void)[] = [];
  client.start({ message: () => new Promise((resolve) => void handled.push(resolve)), close() {} });
  const isPaused = Array.from({ length: 5 }, () => {
    ws.emit('message', Buffer.from('0123456789'));
    return ws.isPaused;
  });
  expect(isPaused).toEqual([false, false, false, true, true]);
  for (const isPausedAfter of [true, false]) {
    handled.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
    expect(ws.isPaused).toBe(isPausedAfter);
  }
});

test('a client is pinged so often', () => {
  const before = performance.now();
  const { ws, client } = connected({ pingMs: 1000 });
  const after = performance.now();
  const pings = [before + 999, after + 1000, after + 1999, after + 2000].map((now) => {
    client.check(now);
    return ws.pings;
  });
  expect(pings).toEqual([0, 1, 1, 2]);
});

test('a session hears when what it has sent is written, but not while much is still unwritten', () => {
  const { ws, client } = connected({});
  let drained = 0;
  client.start({ message: () => Promise.resolve(), drained: () => void drained++, close() {} });
  client.send('small');
  client.send('large'.repeat(1_000_000));
  expect(client.unread).toBe(5_000_005);
  const heard = ws.sent.map((written) => {
    written();
    return [drained, client.unread];
  });
  expect(heard).toEqual([
    [0, 5_000_000],
    [1, 0],
  ]);
});
