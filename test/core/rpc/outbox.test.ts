import { beforeEach, expect, test } from 'vitest';
import type { SessionOut } from '../../../core/rpc/httpAnswer.ts';
import { Outbox, SOCKET_BYTES_MAX } from '../../../core/rpc/outbox.ts';
import { Pacer } from '../../../core/rpc/pacer.ts';

const BYTES_MAX = SOCKET_BYTES_MAX + 100;

class Socket implements SessionOut {
  readonly sent: string[] = [];
  waiting = 0;

  send(text: string): void {
    this.sent.push(text);
  }

  sendShared(): void {}

  buffered(): number {
    return this.waiting;
  }

  close(): void {}
}

let socket: Socket;
let outbox: Outbox;
beforeEach(() => {
  socket = new Socket();
  outbox = new Outbox(socket, BYTES_MAX, new Pacer(undefined));
});

const message = (bytes: number): string => 'x'.repeat(bytes);

test('dropping the waiting messages tells the lowest height among them, in any order', () => {
  socket.waiting = SOCKET_BYTES_MAX;
  for (const height of [7, 3, 5]) expect(outbox.push(message(1), height)).toBe(true);
  // An answer has no height.
  expect(outbox.push(message(1))).toBe(true);
  expect(outbox.drop()).toBe(3);
  expect(outbox.drop()).toBe(Number.POSITIVE_INFINITY);
});

test('sent messages no longer count against the limit of waiting bytes', () => {
  for (let turn = 0; turn < 5; turn++) {
    socket.waiting = SOCKET_BYTES_MAX;
    expect(outbox.push(message(60), turn)).toBe(true);
    expect(outbox.push(message(60), turn)).toBe(false);
    socket.waiting = 0;
    outbox.flush();
    expect(outbox.bytes).toBe(0);
  }
  expect(socket.sent).toHaveLength(5);
});

test('at most 65536 messages wait, however short they are', () => {
  const long = new Outbox(socket, 10 * BYTES_MAX, new Pacer(undefined));
  socket.waiting = SOCKET_BYTES_MAX;
  for (let i = 0; i < 65_536; i++) expect(long.push('x')).toBe(true);
  expect(long.push('x')).toBe(false);
  socket.waiting = 0;
  long.flush();
  expect(socket.sent).toHaveLength(65_536);
  expect(long.push('x')).toBe(true);
});
