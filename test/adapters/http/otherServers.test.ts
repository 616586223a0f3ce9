import { describe, expect, onTestFinished, test } from 'vitest';
import { type CometServerOptions, startCometServer } from '../../../adapters/http/cometServer.ts';
import type { HttpServer } from '../../../adapters/http/httpServer.ts';
import { parseListenAddress, showAddress } from '../../../adapters/http/listenAddress.ts';
import { type RestRequest, startRestServer } from '../../../adapters/http/restServer.ts';
import { WsEndpoint } from '../../../adapters/ws/wsEndpoint.ts';
import type { HttpAnswer } from '../../../core/rpc/httpAnswer.ts';

const rethrow = (error: unknown): void => {
  throw error;
};
const listen = { host: '127.0.0.1', port: 0 };
const answer = (body: string, status = 200): HttpAnswer => ({
  status,
  headers: { 'content-type': 'application/json', 'x-server-time': '12' },
  body,
});

async function startedComet(options: Partial<CometServerOptions> = {}): Promise<HttpServer> {
  const ws = new WsEndpoint({
    path: '/websocket',
    origins: ['*'],
    open: () => ({ message() {}, close() {} }),
    onError: rethrow,
  });
  const server = await startCometServer({
    listen,
    ws,
    post: async (body) => answer(`post ${body}`),
    get: async (path, query) => answer(`get ${path} ${query}`, path === '/none' ? 404 : 200),
    bodyBytesMax: 100,
    connectionsMax: 10,
    onError: rethrow,
    ...options,
  });
  onTestFinished(async () => {
    ws.close('test over');
    await server.close(0);
  });
  return server;
}

describe('the consensus RPC over HTTP', () => {
  test('tells JSON-RPC from URI calls, and passes status and headers on', async () => {
    const server = await startedComet();
    const url = `http://${server.label}`;
    const ask = async (path: string, init?: RequestInit): Promise<string> =>
      (await fetch(url + path, init)).text();
    expect(await ask('/', { method: 'POST', body: '{"a":1}' })).toBe('post {"a":1}');
    expect(await ask('/')).toBe('get / ');
    expect(await ask('/', { method: 'POST', body: '' })).toBe('get / ');
    expect(await ask('/block?height=5&x=%22y%22')).toBe('get /block height=5&x=%22y%22');
    // As clients ask whose base URL ends with a slash.
    expect(await ask('//block/./?height=5/')).toBe('get /block/ height=5/');
    expect(await ask('//', { method: 'POST', body: '{}' })).toBe('post {}');
    const form = { method: 'POST', body: new URLSearchParams({ height: '7' }) };
    expect(await ask('/block?a=1', form)).toBe('get /block height=7&a=1');
    const missing = await fetch(`${url}/none`);
    expect([missing.status, missing.headers.get('x-server-time')]).toEqual([404, '12']);
    expect(await ask('/status', { method: 'HEAD' })).toBe('');
  });

  test('refuses a body above the bound as CometBFT does', async () => {
    const server = await startedComet();
    const response = await fetch(`http://${server.label}/`, { method: 'POST', body: 'x'.repeat(101) });
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      jsonrpc: '2.0',
      error: {
        code: -32600,
        message: 'Invalid Request',
        data: 'error reading request body: http: request body too large',
      },
    });
  });

  test('gives no page of another origin an answer unless configured', async () => {
    const server = await startedComet();
    const response = await fetch(`http://${server.label}/status`, {
      headers: { origin: 'https://a.example' },
    });
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
  });

  test('names itself when its port is busy', async () => {
    const server = await startedComet();
    await expect(startedComet({ listen: server.address })).rejects.toThrow(
      `cannot listen on ${server.label} (consensus rpc): address already in use`,
    );
  });
});

test('the REST surface gets method, path, query, body and headers apart', async () => {
  const seen: RestRequest[] = [];
  const server = await startRestServer({
    listen,
    handle: async (request) => {
      seen.push(request);
      return answer('{}');
    },
    bodyBytesMax: 10,
    connectionsMax: 10,
    onError: rethrow,
  });
  onTestFinished(() => server.close(0));
  const url = `http://${server.label}`;
  await fetch(`${url}/cosmos/auth/v1beta1/accounts/a%2Fb?x=1`, { headers: { 'x-cosmos-block-height': '5' } });
  await fetch(`${url}//cosmos/tx/v1beta1/txs`, { method: 'POST', body: '{"a":1}' });
  expect(seen).toMatchObject([
    { method: 'GET', path: '/cosmos/auth/v1beta1/accounts/a%2Fb', query: 'x=1', body: '' },
    { method: 'POST', path: '/cosmos/tx/v1beta1/txs', query: '', body: '{"a":1}' },
  ]);
  expect(seen[0]?.headers['x-cosmos-block-height']).toBe('5');
  const refused = await fetch(url, { method: 'POST', body: 'x'.repeat(11) });
  expect([refused.status, await refused.json()]).toEqual([
    413,
    { code: 8, message: 'request body above 10 bytes', details: [] },
  ]);
});

test('the port of REST passes the frames of gRPC-Web on, byte by byte', async () => {
  const all = Uint8Array.from({ length: 256 }, (_, i) => i);
  const server = await startRestServer({
    listen,
    handle: async () => answer('{}'),
    grpcWeb: async ({ path, contentType, height, body }) => ({
      headers: { 'content-type': contentType, 'x-seen': `${path} ${height}` },
      body: body.toReversed(),
    }),
    bodyBytesMax: 256,
    connectionsMax: 10,
    onError: rethrow,
  });
  onTestFinished(() => server.close(0));
  const call = (body: Uint8Array<ArrayBuffer>) =>
    fetch(`http://${server.label}/a.B/C`, {
      method: 'POST',
      headers: { 'content-type': 'application/grpc-web+proto', 'x-cosmos-block-height': '5' },
      body,
    });
  const replied = await call(all);
  expect([replied.status, replied.headers.get('x-seen')]).toEqual([200, '/a.B/C 5']);
  expect(new Uint8Array(await replied.arrayBuffer())).toEqual(all.toReversed());
  expect((await call(new Uint8Array(257))).status).toBe(413);
});

test.each([
  ['127.0.0.1:8545', '127.0.0.1:8545'],
  ['tcp://127.0.0.1:26657', '127.0.0.1:26657'],
  ['http://localhost:80/', 'localhost:80'],
  [':8545', '0.0.0.0:8545'],
  ['tcp://[::1]:0', '[::1]:0'],
  ['localhost', undefined],
  ['127.0.0.1:99999', undefined],
  ['unix:///tmp/socket', undefined],
  ['', undefined],
])('the address %j is read as %j', (text, shown) => {
  const parsed = parseListenAddress(text);
  expect(parsed.ok ? showAddress(parsed.value) : undefined).toBe(shown);
});
