import type { IncomingMessage } from 'node:http';
import { Duplex } from 'node:stream';
import fc from 'fast-check';
import { WsEndpoint } from '../ws/wsEndpoint.ts';
import { Disagreement, damagedBytes, type FuzzTarget, holdsLater } from './target.ts';

const FRAME_BYTES_MAX = 4096;
/** Event loop turns in which all received input is answered. */
const TURNS = 4;

/** A connection whose other end is the fuzzer. */
class Pipe extends Duplex {
  readonly written: Buffer[] = [];

  override _read(): void {}

  override _write(chunk: Buffer, _: unknown, done: () => void): void {
    this.written.push(chunk);
    done();
  }
}

/** A client frame, valid or not: any opcode and flags, masked or not, with a true or false length. */
const frame = fc
  .record({
    head: fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom(0x81, 0x82, 0x01, 0x00, 0x80, 0x88, 0x89, 0x8a) },
      { weight: 1, arbitrary: fc.nat(255) },
    ),
    isMasked: fc.oneof({ weight: 9, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.boolean() }),
    payload: fc.oneof(
      fc.json().map((text) => new TextEncoder().encode(text)),
      fc.uint8Array({ maxLength: 200 }),
      fc.nat(2 * FRAME_BYTES_MAX).map((length) => new Uint8Array(length)),
    ),
    lie: fc.option(fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }), { freq: 20 }),
  })
  .map(({ head, isMasked, payload, lie }) => {
    const length = lie ?? BigInt(payload.length);
    const size = length < 126n ? 0 : length < 0x1_0000n ? 2 : 8;
    const start = Buffer.alloc(2 + size);
    start[0] = head;
    start[1] = (isMasked ? 0x80 : 0) | (size === 0 ? Number(length) : size === 2 ? 126 : 127);
    if (size === 2) start.writeUInt16BE(Number(length), 2);
    else if (size === 8) start.writeBigUInt64BE(length, 2);
    // A zero mask leaves the payload unchanged.
    return Buffer.concat([start, Buffer.alloc(isMasked ? 4 : 0), payload]);
  });

const conversation = fc.record({
  bytes: damagedBytes(
    fc.array(frame, { maxLength: 6 }).map((frames) => Uint8Array.from(Buffer.concat(frames))),
  ),
  cuts: fc.array(fc.nat(), { maxLength: 4 }),
});

const REQUEST = {
  method: 'GET',
  url: '/websocket',
  headers: {
    upgrade: 'websocket',
    connection: 'Upgrade',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    'sec-websocket-version': '13',
  },
  socket: {},
} as unknown as IncomingMessage;

/** Checks that the server wrote an HTTP head followed by complete, unmasked frames. */
function checkWritten(written: Buffer): void {
  let at = written.indexOf('\r\n\r\n') + 4;
  while (at < written.length) {
    const [head = 0, second = 0] = written.subarray(at, at + 2);
    if (![0x81, 0x88, 0x89, 0x8a].includes(head) || (second & 0x80) !== 0)
      throw new Disagreement(`the server wrote a frame ${head} ${second}`);
    const length = second === 126 ? written.readUInt16BE(at + 2) : second;
    at += (second === 126 ? 4 : 2) + length;
  }
  if (at !== written.length) throw new Disagreement('the server wrote half a frame');
}

const turns = async (): Promise<void> => {
  for (let i = 0; i < TURNS; i++) await new Promise((resolve) => setImmediate(resolve));
};

export const WS_TARGETS: readonly FuzzTarget[] = [
  {
    name: 'ws',
    doc: 'frames of a websocket',
    property() {
      const failures: unknown[] = [];
      const endpoint = new WsEndpoint({
        path: '/websocket',
        origins: ['*'],
        limits: { frameBytesMax: FRAME_BYTES_MAX, waitingMax: 4 },
        open: (out) => ({
          message(text) {
            if (Buffer.byteLength(text) > 3 * FRAME_BYTES_MAX)
              throw new Disagreement('a message above the bound');
            out.send(String(text.length));
            out.sendShared('#', { texts: ['shared', text.slice(0, 100)], length: 106 });
          },
          close() {},
        }),
        onError: (error) => failures.push(error),
      });
      return holdsLater(conversation, async ({ bytes, cuts }) => {
        const pipe = new Pipe();
        endpoint.upgrade(REQUEST, pipe, Buffer.alloc(0));
        const ends = cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b);
        for (const [i, end] of [...ends, bytes.length].entries())
          if (!pipe.destroyed) pipe.push(bytes.subarray(ends[i - 1] ?? 0, end));
        await turns();
        checkWritten(Buffer.concat(pipe.written));
        pipe.destroy();
        await turns();
        if (endpoint.connections !== 0) throw new Disagreement('a connection is left behind');
        if (failures.length > 0) throw failures[0];
      });
    },
  },
];
