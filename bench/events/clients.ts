/** The far end of the events bench, in a process of its own: many websocket clients that count what they are told. */
import { createConnection, type Socket } from 'node:net';
import { FrameCounter } from './frameCounter.ts';

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

const SAMPLE_EVERY = 97;
const HEIGHT = /"height":"([0-9]+)"/;
const now = (): number => performance.timeOrigin + performance.now();

let events = 0;
let bytes = 0;
let closed = 0;
let sample: (readonly [number, number])[] = [];

/** A masked frame of a client; a mask of zeros leaves the payload as it is. */
const frameOf = (opcode: number, text: string): Buffer => {
  const head = text.length < 126 ? [text.length | 0x80] : [0xfe, text.length >> 8, text.length & 0xff];
  return Buffer.concat([Buffer.from([0x80 | opcode, ...head, 0, 0, 0, 0]), Buffer.from(text, 'latin1')]);
};
const TEXT = 0x1;
const PONG = 0xa;

const subscribe = (id: number, query: string): Buffer =>
  frameOf(TEXT, JSON.stringify({ jsonrpc: '2.0', id, method: 'subscribe', params: { query } }));

/** A socket on which the node has agreed to speak of websockets; what comes after that is in `rest`. */
async function upgraded(url: string): Promise<{ readonly socket: Socket; readonly rest: Buffer }> {
  const { hostname, port, pathname } = new URL(url);
  const socket = createConnection(Number(port), hostname);
  socket.on('error', () => {});
  socket.on('close', () => closed++);
  await new Promise((resolve) => socket.once('connect', resolve));
  const upgrade = ['Upgrade: websocket', 'Connection: Upgrade', 'Sec-WebSocket-Version: 13'];
  const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';
  socket.write(`GET ${pathname} HTTP/1.1\r\nHost: ${hostname}\r\n${upgrade.join('\r\n')}\r\n${key}\r\n\r\n`);
  const answer = await new Promise<Buffer>((resolve) => socket.once('data', resolve));
  const end = answer.indexOf('\r\n\r\n') + 4;
  if (!answer.toString('latin1').startsWith('HTTP/1.1 101'))
    throw new Error('the node takes no more clients');
  return { socket, rest: answer.subarray(end) };
}

async function subscribed(url: string, queries: readonly string[]): Promise<void> {
  const { socket, rest } = await upgraded(url);
  let replies = 0;
  await new Promise<void>((resolve) => {
    const counter = new FrameCounter(
      (length, payload) => {
        if (replies < queries.length) {
          if (++replies === queries.length) resolve();
          return;
        }
        bytes += length;
        if (events++ % SAMPLE_EVERY !== 0) return;
        const height = HEIGHT.exec(payload.subarray(0, 1024).toString('latin1'))?.[1];
        if (height !== undefined) sample.push([Number(height), now()]);
      },
      () => socket.write(frameOf(PONG, '')),
    );
    counter.push(rest);
    socket.on('data', (data) => counter.push(data));
    for (const [id, query] of queries.entries()) socket.write(subscribe(id, query));
  });
}

/** Subscribes, then leaves everything in the kernel's buffer. */
async function unread(url: string): Promise<void> {
  const { socket } = await upgraded(url);
  socket.write(subscribe(1, "tm.event='Tx'"));
  socket.pause();
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
