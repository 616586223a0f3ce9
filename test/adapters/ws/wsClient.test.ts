import { EventEmitter } from 'node:events';
import type { Duplex } from 'node:stream';
import { expect, test } from 'vitest';
import type { WebSocket } from 'ws';
import { sharedFrames } from '../../../adapters/ws/frames.ts';
import { WsClient } from '../../../adapters/ws/wsClient.ts';

class Socket extends EventEmitter {
  readonly OPEN = 1;
  readonly readyState = 1;
  readonly bufferedAmount = 0;
  isPaused = false;
  pings = 0;

  pause(): void {
    this.isPaused = true;
  }
  resume(): void {
    this.isPaused = false;
  }
  ping(): void {
    this.pings++;
  }
}

const LIMITS = {
  connectionsMax: 1,
  frameBytesMax: 100,
  bufferedBytesMax: 100,
  waitingMax: 3,
  pingMs: 1000,
  silenceMs: 1_000_000,
};

/** A client whose requests are answered one by one, when the test says so. */
function connected(limits: Partial<typeof LIMITS> = {}) {
  const socket = new Socket();
  const answers: (() => void)[] = [];
  const fail = (error: unknown): never => {
    throw error;
  };
  const client = new WsClient(
    socket as unknown as WebSocket,
    {} as Duplex,
    { ...LIMITS, ...limits },
    fail,
    () => {},
  );
  client.start({ message: () => new Promise((resolve) => void answers.push(resolve)), close() {} });
  const send = (text: string): boolean => {
    socket.emit('message', Buffer.from(text));
    return socket.isPaused;
  };
  const answer = async (): Promise<boolean> => {
    answers.shift()?.();
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
    return socket.isPaused;
  };
  return { client, socket, send, answer };
}

test.each([
  ['requests wait', { waitingMax: 3 }],
  ['bytes wait', { waitingMax: 100, frameBytesMax: 12 }],
])('a client is not read from while so many %s', async (_, limits) => {
  const { send, answer } = connected(limits);
  // The first one is being answered: it does not wait.
  expect(['4444', '4444', '4444', '4444'].map(send)).toEqual([false, false, false, true]);
  expect(await answer()).toBe(false);
  expect(send('4444')).toBe(true);
  for (let i = 0; i < 4; i++) await answer();
  expect(['4444', '4444'].map(send)).toEqual([false, false]);
});

test('a client is pinged once in a while', () => {
  const { client, socket } = connected();
  const now = performance.now();
  const pings = [1000, 1001, 1999, 2000, 2500, 3000].map((ms) => {
    client.check(now + ms);
    return socket.pings;
  });
  expect(pings).toEqual([1, 1, 1, 2, 2, 3]);
});

test('frames are made once for a few openings, and for each client with another', () => {
  const shared = { texts: ['a', 'b'], length: 2 };
  for (const opening of ['1', '2', '3', '4'])
    expect(sharedFrames(opening, shared)).toBe(sharedFrames(opening, shared));
  expect(sharedFrames('5', shared)).not.toBe(sharedFrames('5', shared));
  expect(sharedFrames('5', shared).toString()).toBe('\ufffd\u00025a\ufffd\u00025b');
});
