import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import WebSocket from 'ws';
import { type Devnet, startDevnet } from './devnet.ts';

/** CometBFT's `max_open_connections` and `max_subscription_clients`. */
const CONNECTIONS_MAX = 900;
const SUBSCRIBERS_MAX = 100;
const SOCKETS = 10_000;
const FRAME_BYTES_MAX = 1_000_000;
const MEBIBYTE = 1024 * 1024;

let node: Devnet;
let url: string;
beforeAll(async () => {
  node = await startDevnet();
  url = `${node.consensusRpc.replace('http', 'ws')}/websocket`;
});
afterAll(() => node.stop());

async function height(): Promise<number> {
  const answer = await fetch(`${node.consensusRpc}/status`);
  const { result } = (await answer.json()) as { result: { sync_info: { latest_block_height: string } } };
  return Number(result.sync_info.latest_block_height);
}

/** Ends when the chain is two blocks further: whatever went before, blocks go on. */
async function blocksGoOn(): Promise<void> {
  for (const wanted = (await height()) + 2; (await height()) < wanted; )
    await new Promise((resolve) => setTimeout(resolve, 50));
}

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Memory in use once garbage is gone, in MiB. */
function usedMebibytes(): number {
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return (heapUsed + arrayBuffers) / MEBIBYTE;
}

function open(): Promise<WebSocket | undefined> {
  return new Promise((resolve) => {
    const socket = new WebSocket(url, { perMessageDeflate: false });
    socket.on('open', () => resolve(socket));
    socket.on('error', () => resolve(undefined));
  });
}

const gone = (socket: WebSocket): Promise<number> =>
  new Promise((resolve) => socket.once('close', (code) => resolve(code)));

const answer = (socket: WebSocket): Promise<{ error?: { code: number; data?: string }; result?: unknown }> =>
  new Promise((resolve) => socket.once('message', (data) => resolve(JSON.parse(String(data)))));

const ask = (socket: WebSocket, method: string, params: unknown = {}) => {
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
  return answer(socket);
};

test('one who sends frames of a megabyte is answered up to the bound, and closed above it', async () => {
  const socket = (await open()) as WebSocket;
  for (let i = 0; i < 20; i++) {
    socket.send('x'.repeat(FRAME_BYTES_MAX));
    expect((await answer(socket)).error?.code).toBe(-32700);
  }
  socket.on('error', () => {});
  socket.send('x'.repeat(FRAME_BYTES_MAX + 1));
  expect(await gone(socket)).toBe(1009);
  await blocksGoOn();
});

test('the EVM websocket takes requests as large as HTTP does', async () => {
  const socket = new WebSocket(node.evmWs, { perMessageDeflate: false });
  await once(socket, 'open');
  const data = `0x${'00'.repeat(MEBIBYTE)}`;
  const { result } = await ask(socket, 'web3_sha3', [data]);
  expect(result).toMatch(/^0x[0-9a-f]{64}$/);
  socket.on('error', () => {});
  socket.send('x'.repeat(5 * MEBIBYTE + 1));
  expect(await gone(socket)).toBe(1009);
});

async function head(): Promise<number> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] });
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(node.jsonRpc, { method: 'POST', headers, body });
  return Number(((await answer.json()) as { result: string }).result);
}

interface ManySockets {
  readonly told: { readonly tried: number; readonly open: number; readonly refused: number };
  /** Lets go of all of them. */
  end(): Promise<void>;
}

/** A process that may have as many open files as the system lets it. */
async function manySockets(count: number): Promise<ManySockets> {
  const { hostname, port } = new URL(url);
  const script = fileURLToPath(new URL('./manySockets.mjs', import.meta.url));
  const args = [process.execPath, script, hostname, port, String(count)];
  const child = spawn('sh', ['-c', 'ulimit -n "$(ulimit -H -n)"; exec "$0" "$@"', ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const [line] = await once(child.stdout, 'data');
  return {
    told: JSON.parse(String(line)),
    async end() {
      child.stdin.end();
      await exited;
    },
  };
}

// Windows has neither `sh` nor a limit to raise.
test.skipIf(process.platform === 'win32')(
  'one who opens ten thousand sockets gets as many as there are, and then they are free again',
  async () => {
    const before = usedMebibytes();
    const { told, end } = await manySockets(SOCKETS);
    expect(told.tried).toBe(SOCKETS);
    expect(told.open).toBeLessThanOrEqual(CONNECTIONS_MAX);
    expect(told.open).toBeGreaterThan(CONNECTIONS_MAX / 2);
    expect(told.open + told.refused).toBe(SOCKETS);
    // The port is full; another one tells that blocks go on.
    const block = await head();
    while ((await head()) < block + 2) await new Promise((resolve) => setTimeout(resolve, 50));
    await end();
    await blocksGoOn();
    const again = (await open()) as WebSocket;
    expect((await ask(again, 'health')).result).toEqual({});
    again.terminate();
    expect(usedMebibytes() - before).toBeLessThan(64);
  },
);

test('one who subscribes and drops in a loop leaves nothing behind', async () => {
  const before = usedMebibytes();
  for (let i = 0; i < 8; i++) {
    const clients = (await Promise.all(Array.from({ length: 50 }, open))) as WebSocket[];
    for (const client of clients) {
      const { error } = await ask(client, 'subscribe', { query: "tm.event='Tx'" });
      expect(error).toBeUndefined();
    }
    const ended = Promise.all(clients.map(gone));
    for (const client of clients) client.terminate();
    await ended;
    // The node hears of the ends a moment later than we do; it must, or the next fifty are one too many.
    await blocksGoOn();
  }
  expect(8 * 50).toBeGreaterThan(SUBSCRIBERS_MAX);
  expect(usedMebibytes() - before).toBeLessThan(64);
});

/** Asks for the same long answer again and again and reads nothing; ends when the node has had enough. */
async function neverReads(): Promise<void> {
  const { hostname, port, pathname } = new URL(url);
  const socket: Socket = createConnection(Number(port), hostname);
  socket.on('error', () => {});
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const upgrade = ['Upgrade: websocket', 'Connection: Upgrade', 'Sec-WebSocket-Version: 13'];
  const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';
  const head = `GET ${pathname} HTTP/1.1\r\nHost: ${hostname}\r\n${upgrade.join('\r\n')}\r\n${key}\r\n\r\n`;
  await new Promise<void>((resolve) => {
    socket.once('data', () => resolve());
    socket.write(head);
  });
  socket.pause();
  const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'genesis', params: {} });
  // A masked text frame; a mask of zeros leaves the payload as it is.
  const frame = Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)]);
  const frames = Buffer.concat(Array.from({ length: 100 }, () => frame));
  let isOver = false;
  closed.then(() => {
    isOver = true;
  });
  while (!isOver) {
    const isTaken = socket.write(frames);
    if (!isTaken)
      await Promise.race([closed, new Promise<void>((resolve) => socket.once('drain', () => resolve()))]);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test('one who never reads is cut off, and its memory comes back', async () => {
  const before = usedMebibytes();
  await neverReads();
  await blocksGoOn();
  expect(usedMebibytes() - before).toBeLessThan(64);
});
