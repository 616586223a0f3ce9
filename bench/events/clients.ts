/** The far end of the events bench, in a process of its own: many websocket clients that count what they are told. */
import { createConnection } from 'node:net';
import WebSocket from 'ws';

export interface Order {
  readonly url: string;
  /** One list of queries a client. */
  readonly clients: readonly (readonly string[])[];
  /** Clients that subscribe and never read. */
  readonly slow: number;
}

export interface Told {
  readonly events: number;
  readonly bytes: number;
  /** For a sample of the events: height, and when it came in milliseconds since the epoch. */
  readonly sample: readonly (readonly [height: number, atMs: number])[];
  readonly closed: number;
}

const SAMPLE_EVERY = 7;
const HEIGHT = /"height":"([0-9]+)"/;
const now = (): number => performance.timeOrigin + performance.now();

let events = 0;
let bytes = 0;
let closed = 0;
let sample: (readonly [number, number])[] = [];

async function subscribed(url: string, queries: readonly string[]): Promise<void> {
  const socket = new WebSocket(url, { perMessageDeflate: false });
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  let replies = 0;
  await new Promise<void>((resolve) => {
    socket.on('message', (data: Buffer) => {
      if (replies < queries.length) {
        if (++replies === queries.length) resolve();
        return;
      }
      bytes += data.length;
      if (events++ % SAMPLE_EVERY !== 0) return;
      const height = HEIGHT.exec(data.subarray(0, 1024).toString('latin1'))?.[1];
      if (height !== undefined) sample.push([Number(height), now()]);
    });
    socket.on('close', () => closed++);
    for (const [id, query] of queries.entries())
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, method: 'subscribe', params: { query } }));
  });
}

/** Speaks just enough to subscribe, then leaves everything in the kernel's buffer. */
async function unread(url: string): Promise<void> {
  const { hostname, port, pathname } = new URL(url);
  const socket = createConnection(Number(port), hostname);
  await new Promise((resolve) => socket.once('connect', resolve));
  const upgrade = ['Upgrade: websocket', 'Connection: Upgrade', 'Sec-WebSocket-Version: 13'];
  const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';
  socket.write(`GET ${pathname} HTTP/1.1\r\nHost: ${hostname}\r\n${upgrade.join('\r\n')}\r\n${key}\r\n\r\n`);
  const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'subscribe', params: ["tm.event='Tx'"] });
  // A masked text frame; a mask of zeros leaves the payload as it is.
  const frame = Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)]);
  socket.once('data', () => {
    socket.write(frame);
    socket.pause();
  });
  socket.on('close', () => closed++);
  socket.on('error', () => {});
}

async function start({ url, clients, slow }: Order): Promise<void> {
  const GROUP = 50;
  for (let i = 0; i < clients.length; i += GROUP)
    await Promise.all(clients.slice(i, i + GROUP).map((queries) => subscribed(url, queries)));
  for (let i = 0; i < slow; i++) await unread(url);
  process.send?.('ready');
}

process.on('message', (message: Order | 'reset' | 'report') => {
  if (message === 'reset') {
    [events, bytes, closed, sample] = [0, 0, 0, []];
    process.send?.('reset');
  } else if (message === 'report') process.send?.({ events, bytes, sample, closed } satisfies Told);
  else void start(message);
});
