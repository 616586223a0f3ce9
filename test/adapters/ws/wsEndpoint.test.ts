import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { isOriginAllowed } from '../../../adapters/ws/origin.ts';
import { WsEndpoint, type WsEndpointOptions } from '../../../adapters/ws/wsEndpoint.ts';
import type { SessionOut } from '../../../core/rpc/httpAnswer.ts';

interface Served {
  readonly endpoint: WsEndpoint;
  readonly url: string;
}

async function serve(options: Partial<WsEndpointOptions> = {}): Promise<Served> {
  const endpoint = new WsEndpoint({
    path: '/websocket',
    origins: ['localhost'],
    open: (out) => ({ message: (text) => out.send(`echo ${text}`), close() {} }),
    onError: (error) => {
      throw error;
    },
    ...options,
  });
  const server: Server = createServer((_, response) => response.end());
  server.on('upgrade', (request, socket, head) => endpoint.upgrade(request, socket, head));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    endpoint.close('test over');
    server.closeAllConnections();
    server.close();
  });
  return { endpoint, url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/websocket` };
}

async function connected(
  url: string,
  options: { origin?: string; autoPong?: boolean } = {},
): Promise<WebSocket> {
  const ws = new WebSocket(url, options);
  onTestFinished(() => ws.terminate());
  await once(ws, 'open');
  return ws;
}

async function nextText(ws: WebSocket): Promise<string> {
  const [data] = (await once(ws, 'message')) as [Buffer];
  return data.toString();
}

async function closeOf(ws: WebSocket): Promise<string> {
  const [code, reason] = (await once(ws, 'close')) as [number, Buffer];
  return `${code} ${reason}`;
}

const statusOf = (url: string, options = {}): Promise<number> =>
  new Promise((resolve) => {
    const ws = new WebSocket(url, options);
    ws.on('unexpected-response', (_, response) => {
      resolve(response.statusCode ?? 0);
      ws.terminate();
    });
    ws.on('error', () => {});
    ws.on('open', () => {
      resolve(101);
      ws.terminate();
    });
  });

describe('a websocket endpoint', () => {
  test('hands text and binary frames to the session and sends what it says', async () => {
    const { url } = await serve();
    const ws = await connected(url);
    ws.send('héllo');
    expect(await nextText(ws)).toBe('echo héllo');
    ws.send(Buffer.from('bytes'));
    expect(await nextText(ws)).toBe('echo bytes');
  });

  test('sends texts that clients share as frames of their own, whatever their length, between others', async () => {
    const ends = [0, 80, 81, 300, 65_480, 65_500, 70_000].map((length) => `é${'x'.repeat(length)}`);
    const shared = { texts: ends, length: ends.join('').length };
    const { url } = await serve({
      open: (out) => ({
        message(id) {
          out.send('before');
          out.sendShared(`{"id":${id},"query":"${'q'.repeat(30)}"}`, shared);
          out.send('after');
        },
        close() {},
      }),
    });
    for (const id of ['1', '"two"', '1']) {
      const ws = await connected(url);
      const got: string[] = [];
      const done = new Promise<void>((resolve) =>
        ws.on('message', (data) => {
          got.push(String(data));
          if (got.at(-1) === 'after') resolve();
        }),
      );
      ws.send(id);
      await done;
      const opening = `{"id":${id},"query":"${'q'.repeat(30)}"}`;
      expect(got).toEqual(['before', ...ends.map((end) => opening + end), 'after']);
    }
  });

  test('takes only its path, and pages only of its origins', async () => {
    const { url } = await serve();
    expect(await statusOf(url)).toBe(101);
    expect(await statusOf(`${url}?a=1`)).toBe(101);
    expect(await statusOf(`${url}/other`)).toBe(404);
    expect(await statusOf(url, { origin: 'http://localhost:3000' })).toBe(101);
    expect(await statusOf(url, { origin: 'https://evil.example' })).toBe(403);
  });

  test('turns away clients above its bound and has room again when one is gone', async () => {
    let gone: () => void = () => {};
    const { url, endpoint } = await serve({
      limits: { connectionsMax: 1 },
      open: () => ({ message() {}, close: () => gone() }),
    });
    const first = await connected(url);
    expect(await statusOf(url)).toBe(503);
    const closed = new Promise<void>((resolve) => {
      gone = resolve;
    });
    first.close();
    await closed;
    expect(endpoint.connections).toBe(0);
    expect(await statusOf(url)).toBe(101);
  });

  test('gives a session one message at a time, in order, and reads no more than its bound', async () => {
    let open = 0;
    const seen: string[] = [];
    const { url } = await serve({
      limits: { waitingMax: 4 },
      open: (out) => ({
        async message(text) {
          open += 1;
          expect(open).toBe(1);
          await new Promise((resolve) => setImmediate(resolve));
          seen.push(text);
          open -= 1;
          if (text === '199') out.send('done');
        },
        close() {},
      }),
    });
    const ws = await connected(url);
    for (let i = 0; i < 200; i++) ws.send(String(i));
    await nextText(ws);
    expect(seen).toEqual(Array.from({ length: 200 }, (_, i) => String(i)));
  });

  test('closes a client that sends a frame above the bound', async () => {
    const { url } = await serve({ limits: { frameBytesMax: 100 } });
    const ws = await connected(url);
    ws.send('x'.repeat(101));
    expect(await closeOf(ws)).toMatch(/^1009 /);
  });

  test('closes a client that does not read, with the reason', async () => {
    let session: SessionOut | undefined;
    let isClosed = false;
    const { url } = await serve({
      limits: { bufferedBytesMax: 1_000_000 },
      open: (out) => {
        session = out;
        return {
          message() {},
          close() {
            isClosed = true;
          },
        };
      },
    });
    const ws = await connected(url);
    ws.pause();
    const text = 'x'.repeat(100_000);
    for (let i = 0; i < 1000 && !isClosed; i++) session?.send(text);
    expect(isClosed).toBe(true);
    expect(session?.buffered()).toBeLessThan(2_000_000);
    ws.resume();
    expect(await closeOf(ws)).toBe('1008 slow client');
  });

  test('of clients that leave too much unread together closes the one that leaves most', async () => {
    const sessions: SessionOut[] = [];
    const closed: SessionOut[] = [];
    const { url } = await serve({
      limits: { unreadBytesMax: 40_000_000, bufferedBytesMax: 60_000_000, pingMs: 90 },
      open: (out) => {
        sessions.push(out);
        return { message: (text) => out.send(`echo ${text}`), close: () => closed.push(out) };
      },
    });
    const [modest, greedy] = [await connected(url), await connected(url)];
    modest.pause();
    greedy.pause();
    sessions[0]?.send('x'.repeat(15_000_000));
    sessions[1]?.send('x'.repeat(50_000_000));
    // What is made once for all clients counts for none of them.
    sessions[0]?.sendShared('{"id":1,', { texts: ['y'.repeat(30_000_000)], length: 30_000_000 });
    await vi.waitUntil(() => closed.length > 0, 60_000);
    expect(closed).toEqual([sessions[1]]);
    modest.resume();
    expect((await nextText(modest)).length).toBe(15_000_000);
  });

  test('keeps a client that answers pings and drops one that does not', async () => {
    const { url } = await serve({ limits: { pingMs: 20, silenceMs: 500 } });
    const silent = await connected(url, { autoPong: false });
    // Listened for at once: on a busy machine it may be dropped before the other is connected.
    const dropped = closeOf(silent);
    const alive = await connected(url);
    expect(await dropped).toMatch(/^1006 /);
    alive.send('still here');
    expect(await nextText(alive)).toBe('echo still here');
  });

  test('ends the session once, whichever side closes', async () => {
    let closes = 0;
    const { url, endpoint } = await serve({
      open: (out) => ({
        message: () => out.close(4000, 'because'),
        close() {
          closes += 1;
        },
      }),
    });
    const ws = await connected(url);
    ws.send('close me');
    expect(await closeOf(ws)).toBe('4000 because');
    expect(closes).toBe(1);
    const other = await connected(url);
    endpoint.close('the node is stopping');
    expect(await closeOf(other)).toBe('1001 the node is stopping');
    expect(closes).toBe(2);
  });

  test('reports a bug of the session and closes with 1011', async () => {
    const errors: unknown[] = [];
    const bug = new Error('bug');
    const { url } = await serve({
      onError: (error) => errors.push(error),
      open: () => ({
        message: () => {
          throw bug;
        },
        close() {},
      }),
    });
    const ws = await connected(url);
    ws.send('x');
    expect(await closeOf(ws)).toBe('1011 internal error');
    expect(errors).toEqual([bug]);
  });
});

test.each([
  [['localhost'], undefined, true],
  [['localhost'], 'http://localhost:8080', true],
  [['localhost'], 'http://localhost.evil.example', false],
  [['*'], 'https://any.example', true],
  [['https://a.example'], 'https://a.example', true],
  [['a.example'], 'https://a.example:444', true],
  [['a.example'], 'null', false],
  [[], 'https://a.example', false],
])('of the allowed origins %j, %j is let in: %s', (allowed, origin, expected) => {
  expect(isOriginAllowed(allowed, origin)).toBe(expected);
});
