import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { HttpServer } from '../../../adapters/http/httpServer.ts';
import { type JsonRpcServerOptions, startJsonRpcServer } from '../../../adapters/http/jsonRpcServer.ts';
import { OperatingError } from '../../../adapters/operatingError.ts';
import { openSocket, readToEnd, readUntil } from './rawHttp.ts';

async function started(options: Partial<JsonRpcServerOptions> = {}): Promise<HttpServer> {
  const server = await startJsonRpcServer({
    listen: { host: '127.0.0.1', port: 0 },
    handle: (body) => Promise.resolve(`{"got":${body.length}}`),
    bodyBytesMax: 1000,
    connectionsMax: 100,
    onError: (error) => {
      throw error;
    },
    ...options,
  });
  onTestFinished(() => server.close(0));
  return server;
}

const HEAD = 'POST / HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n';

const request = (body: string): string => `${HEAD}content-length: ${body.length}\r\n\r\n${body}`;

/** More than sockets hold. */
const LONG = 'x'.repeat(16 * 1024 * 1024);

/** A client that asks and reads nothing, and our end of its connection. */
async function deafClient(server: HttpServer, requests: string): Promise<{ socket: Socket; ours: Socket }> {
  const socket = await openSocket(server.address);
  socket.pause();
  const asked = new Promise<Socket>((resolve) => {
    const onStart = (message: unknown): void => {
      const { socket: ours } = message as { socket: Socket };
      if (ours.remotePort !== socket.localPort) return;
      unsubscribe('http.server.request.start', onStart);
      resolve(ours);
    };
    subscribe('http.server.request.start', onStart);
  });
  socket.write(requests);
  return { socket, ours: await asked };
}

const urlOf = (server: HttpServer): string => `http://${server.label}/`;

const post = (server: HttpServer, body: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(urlOf(server), { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } });

/** A handler whose one answer the test gives, once the call has begun. */
function pendingCall(): { handle: () => Promise<string>; begun: Promise<(answer: string) => void> } {
  let begin: (release: (answer: string) => void) => void;
  const begun = new Promise<(answer: string) => void>((resolve) => {
    begin = resolve;
  });
  return { handle: () => new Promise((resolve) => begin(resolve)), begun };
}

describe('JSON-RPC over HTTP', () => {
  test('passes the body to the handler as text and sends its reply', async () => {
    const bodies: string[] = [];
    const server = await started({
      handle: async (body) => {
        bodies.push(body);
        return '{"text":"Grüße"}';
      },
    });
    const response = await post(server, '{"a":"ü€"}');
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json']);
    expect(await response.text()).toBe('{"text":"Grüße"}');
    expect(bodies).toEqual(['{"a":"ü€"}']);
  });

  test('joins a body that comes in pieces, also chunked and cut within a character', async () => {
    let seen = '';
    const server = await started({
      handle: async (body) => {
        seen = body;
        return '{}';
      },
    });
    const bytes = Buffer.from('{"text":"ü"}');
    const cut = bytes.indexOf(0xc3) + 1;
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(bytes.subarray(0, cut));
        setImmediate(() => {
          controller.enqueue(bytes.subarray(cut));
          controller.close();
        });
      },
    });
    const init = { method: 'POST', body, duplex: 'half', headers: { 'content-type': 'application/json' } };
    expect((await fetch(urlOf(server), init as RequestInit)).status).toBe(200);
    expect(seen).toBe('{"text":"ü"}');
  });

  test('answers nothing to notifications, empty bodies and health checks, all with 200', async () => {
    const server = await started({ handle: async () => '' });
    for (const response of [await post(server, '{}'), await post(server, ''), await fetch(urlOf(server))]) {
      expect([response.status, await response.text()]).toEqual([200, '']);
    }
  });

  test('takes the content types geth takes, and says 415 to others', async () => {
    const server = await started();
    for (const type of [
      'application/json; charset=utf-8',
      'Application/JSON-RPC',
      'application/jsonrequest',
    ]) {
      expect((await post(server, '{}', { 'content-type': type })).status).toBe(200);
    }
    const refused = await post(server, '{}', { 'content-type': 'text/plain' });
    expect([refused.status, await refused.text()]).toEqual([
      415,
      'invalid content type, only application/json is supported\n',
    ]);
  });

  test('refuses other methods and other paths', async () => {
    const server = await started();
    for (const method of ['PUT', 'DELETE', 'PATCH']) {
      const response = await fetch(urlOf(server), { method, body: '{}' });
      expect([response.status, await response.text()]).toEqual([405, 'method not allowed\n']);
    }
    expect((await fetch(`${urlOf(server)}path`)).status).toBe(404);
    expect((await fetch(`${urlOf(server)}?query=1`)).status).toBe(200);
  });

  test('refuses a body above the bound, announced or not, and the client gets to read it', async () => {
    const server = await started();
    const large = 'x'.repeat(1001);
    const announced = await post(server, large);
    expect([announced.status, await announced.text()]).toEqual([
      413,
      'content length too large (1001>1000)\n',
    ]);
    const socket = await openSocket(server.address);
    socket.write(`${HEAD}transfer-encoding: chunked\r\n\r\n7d0\r\n${'y'.repeat(2000)}\r\n`);
    const answer = await readUntil(socket, (text) => text.includes('\n') && text.includes('(2000>1000)'));
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    socket.destroy();
    expect((await post(server, 'x'.repeat(1000))).status).toBe(200);
  });

  test('says that a body is too large before it looks at its type, as geth does', async () => {
    const server = await started();
    const status = async (bytes: number): Promise<number> =>
      (await post(server, 'x'.repeat(bytes), { 'content-type': 'text/plain' })).status;
    expect([await status(1000), await status(1001)]).toEqual([415, 413]);
  });

  test('answers browsers of any origin, and their preflights', async () => {
    const server = await started();
    const page = { origin: 'https://wallet.example' };
    const plain = await post(server, '{}', page);
    expect(plain.headers.get('access-control-allow-origin')).toBe('*');
    const preflight = await fetch(urlOf(server), {
      method: 'OPTIONS',
      headers: {
        ...page,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type',
      },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-methods')).toContain('POST');
    expect(preflight.headers.get('access-control-allow-headers')).toBe('content-type');
  });

  test('answers only the configured origins', async () => {
    const cors = { origins: ['https://a.example'], methods: ['POST'], headers: ['content-type'] };
    const server = await started({ cors });
    const allowed = await post(server, '{}', { origin: 'https://a.example' });
    expect(allowed.headers.get('access-control-allow-origin')).toBe('https://a.example');
    expect(allowed.headers.get('vary')).toBe('Origin');
    const other = await post(server, '{}', { origin: 'https://b.example' });
    expect(other.headers.get('access-control-allow-origin')).toBeNull();
  });

  test('reports a bug of the handler and says no more than 500 to the client', async () => {
    const errors: unknown[] = [];
    const bug = new Error('secret detail');
    const server = await started({
      handle: () => Promise.reject(bug),
      onError: (error) => errors.push(error),
    });
    const response = await post(server, '{}');
    expect([response.status, await response.text()]).toEqual([500, 'internal error\n']);
    expect(errors).toEqual([bug]);
  });

  test('a client that takes nothing of its answer is cut, one that waits for its own is not', async () => {
    const { handle, begun } = pendingCall();
    const server = await started({
      limits: { stallMs: 200 },
      handle: (body) => (body === 'wait' ? handle() : Promise.resolve(body === 'long' ? LONG : '{}')),
    });
    const patient = await openSocket(server.address);
    patient.write(request('short') + request('wait'));
    const release = await begun;
    const deaf = await deafClient(server, request('long'));
    await once(deaf.ours, 'close');
    const answers = readUntil(patient, (text) => text.includes('late'));
    release('late');
    expect([...(await answers).matchAll(/\{\}|late/g)].join(' ')).toBe('{} late');
    patient.destroy();
    deaf.socket.destroy();
  });

  test('of clients that leave too much unread together the one is cut that leaves most', async () => {
    const server = await started({
      limits: { unreadBytesMax: 2.5 * LONG.length },
      handle: async () => LONG,
    });
    const modest = await deafClient(server, request('{}'));
    // The second answer waits behind the first, the third behind both.
    const greedy = await deafClient(server, request('{}').repeat(3));
    await once(greedy.ours, 'close');
    expect(modest.ours.destroyed).toBe(false);
    let bytes = 0;
    modest.socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > LONG.length) modest.socket.emit('whole');
    });
    const whole = once(modest.socket, 'whole');
    modest.socket.resume();
    await whole;
    modest.socket.destroy();
    greedy.socket.destroy();
  });

  test('answers pipelined requests in their order, and cuts a client that sends too many ahead', async () => {
    const server = await started({
      limits: { pipelinedMax: 8 },
      handle: async (body) => {
        await new Promise((resolve) => setImmediate(resolve));
        return body;
      },
    });
    const ask = (count: number): string =>
      Array.from({ length: count }, (_, i) => `[${i}]`)
        .map((body) => `${HEAD}content-length: ${body.length}\r\n\r\n${body}`)
        .join('');
    const socket = await openSocket(server.address);
    socket.write(ask(8));
    const answers = await readUntil(socket, (all) => all.includes('[7]'));
    expect([...answers.matchAll(/\[(\d)\]/g)].map((match) => match[1]).join('')).toBe('01234567');
    socket.write(ask(9));
    expect(await readToEnd(socket)).not.toContain('[8]');
  });

  test('answers a request that offers another protocol as if it did not', async () => {
    const seen: string[] = [];
    const server = await started({
      handle: async (body) => {
        seen.push(body);
        return `{"n":${seen.length}}`;
      },
    });
    const socket = await openSocket(server.address);
    const answers = readUntil(socket, (text) => text.includes('"n":2'));
    // As Java's HttpClient begins each connection.
    const offer =
      'connection: Upgrade, HTTP2-Settings\r\nupgrade: h2c\r\nhttp2-settings: AAEAAEAAAAIAAAAB\r\n';
    socket.write(`${HEAD}${offer}content-length: 6\r\n\r\nfir`);
    socket.write('st!');
    await vi.waitFor(() => expect(seen).toEqual(['first!']));
    socket.write(`${HEAD}content-length: 6\r\n\r\nsecond`);
    expect((await answers).match(/HTTP\/1.1 \d+|keep-alive|\{.*?\}/g)).toEqual([
      'HTTP/1.1 200',
      'keep-alive',
      '{"n":1}',
      'HTTP/1.1 200',
      'keep-alive',
      '{"n":2}',
    ]);
    expect(seen).toEqual(['first!', 'second']);
    socket.destroy();
  });

  test('reads an offer of another protocol with a chunked body, and closes when asked to', async () => {
    const server = await started();
    const socket = await openSocket(server.address);
    const offer = 'connection: close, Upgrade\r\nupgrade: TLS/1.0\r\ntransfer-encoding: chunked\r\n';
    socket.write(`${HEAD}${offer}\r\n3\r\nabc\r\n0\r\n\r\n`);
    const text = await readToEnd(socket);
    expect(text).toMatch(/^HTTP\/1.1 200 OK.*connection: close.*\{"got":3\}$/is);
  });

  test('leaves nothing behind on a connection that offers another protocol with each request', async () => {
    let ours: Socket | undefined;
    const counts: number[][] = [];
    const server = await started({
      handle: async (body) => {
        counts.push((ours?.eventNames() ?? []).map((name) => ours?.listenerCount(name) ?? 0));
        return body;
      },
    });
    const heard = (message: unknown): void => {
      ours = (message as { socket: Socket }).socket;
    };
    subscribe('http.server.request.start', heard);
    onTestFinished(() => void unsubscribe('http.server.request.start', heard));
    const socket = await openSocket(server.address);
    for (let i = 0; i < 12; i++) {
      const answer = readUntil(socket, (text) => text.endsWith('{}'));
      socket.write(`${HEAD}connection: Upgrade\r\nupgrade: h2c\r\ncontent-length: 2\r\n\r\n{}`);
      await answer;
    }
    expect(counts[0]?.length).toBeGreaterThan(0);
    expect(counts.slice(2)).toEqual(counts.slice(2).map(() => counts[1]));
    socket.destroy();
  });

  test('lets nothing overtake an answer under way on a connection that then offers another protocol', async () => {
    const { handle, begun } = pendingCall();
    const server = await started({ handle });
    const socket = await openSocket(server.address);
    socket.write(`${HEAD}content-length: 1\r\n\r\n1`);
    const release = await begun;
    socket.write(`${HEAD}connection: Upgrade\r\nupgrade: h2c\r\ncontent-length: 1\r\n\r\n2`);
    expect(await readToEnd(socket)).toBe('');
    release('{}');
  });

  test('takes a target that is written in full, as to a proxy', async () => {
    const server = await started();
    for (const [target, status] of [
      ['http://localhost/', 200],
      ['HTTP://localhost?key=1', 200],
      ['http://localhost/other', 404],
    ]) {
      const socket = await openSocket(server.address);
      socket.write(
        `POST ${target}${HEAD.slice('POST /'.length)}connection: close\r\ncontent-length: 1\r\n\r\n1`,
      );
      expect(await readToEnd(socket)).toContain(`HTTP/1.1 ${status} `);
    }
  });

  test('refuses an upgrade if it has no websocket', async () => {
    const server = await started();
    const socket = await openSocket(server.address);
    socket.write('GET / HTTP/1.1\r\nhost: x\r\nconnection: Upgrade\r\nupgrade: WebSocket\r\n\r\n');
    expect(await readToEnd(socket)).toMatch(/^HTTP\/1.1 400 /);
  });

  test('turns away connections above its bound', async () => {
    const server = await started({ connectionsMax: 1 });
    const first = await openSocket(server.address);
    const second = await openSocket(server.address);
    expect(await readToEnd(second)).toBe('');
    first.destroy();
  });

  test('on stop, finishes running requests and closes idle connections', async () => {
    const call = pendingCall();
    const server = await started({ handle: call.handle });
    const idle = await openSocket(server.address);
    const busy = await openSocket(server.address);
    busy.write(`${HEAD}content-length: 2\r\n\r\n{}`);
    const release = await call.begun;
    const closed = server.close();
    release('{"late":true}');
    expect(await readToEnd(busy)).toContain('{"late":true}');
    expect(await readToEnd(idle)).toBe('');
    await closed;
    await expect(fetch(urlOf(server))).rejects.toThrow();
  });

  test('on stop, cuts requests that do not end in time', async () => {
    const call = pendingCall();
    const server = await started({ handle: call.handle });
    const answer = post(server, '{}').catch(() => 'cut');
    await call.begun;
    await server.close(0);
    expect(await answer).toBe('cut');
  });

  test('on a busy port is one clear line', async () => {
    const server = await started();
    const refusal = await started({ listen: server.address }).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(OperatingError);
    expect((refusal as Error).message).toBe(
      `cannot listen on ${server.label} (json-rpc): address already in use`,
    );
    await expect(started({ listen: { host: '203.0.113.1', port: 0 } })).rejects.toThrow(
      'cannot listen on 203.0.113.1:0 (json-rpc): address not available on this machine',
    );
  });
});
