import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { TcpLink } from '../../../adapters/tcp/tcpLink.ts';
import type { Connection } from '../../../core/p2p/connection.ts';
import type { ConnectionEvent } from '../../../core/p2p/connectionContract.ts';

const FAR = Number.MAX_SAFE_INTEGER;

/** Takes what it is given and is full at once. */
class FullSocket extends EventEmitter {
  written = 0;
  isDestroyed = false;
  setNoDelay(): void {}
  setKeepAlive(): void {}
  isPaused(): boolean {
    return false;
  }
  write(): boolean {
    this.written += 1;
    return false;
  }
  destroy(): void {
    this.isDestroyed = true;
  }
}

/** A connection with more to say at any time, and no deadline of its own. */
class TalkativeConnection {
  #events: ConnectionEvent[] = [];
  readonly queued = 1;
  deadline(): number {
    return FAR;
  }
  onTime(): void {}
  take(): Uint8Array {
    return new Uint8Array(1);
  }
  sendPauseMicros(): number {
    return 0;
  }
  close(reason: string, isFault: boolean): void {
    this.#events.push({ kind: 'closed', reason, isFault });
  }
  events(): readonly ConnectionEvent[] {
    return this.#events.splice(0);
  }
}

test('a peer that reads nothing for 30 s is disconnected without a fault; each read restarts the time', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const socket = new FullSocket();
  const ends: unknown[] = [];
  new TcpLink({
    socket: socket as unknown as Socket,
    connection: new TalkativeConnection() as unknown as Connection,
    handshakeEnds: FAR,
    onEvent: () => {},
    onRead: () => {},
    onEnded: (...end) => void ends.push(end),
    isOverloaded: () => false,
  });
  vi.advanceTimersByTime(29_999);
  socket.emit('drain');
  expect(socket.written).toBe(2);
  vi.advanceTimersByTime(29_999);
  expect([ends, socket.isDestroyed]).toEqual([[], false]);
  vi.advanceTimersByTime(2);
  expect([ends, socket.isDestroyed]).toEqual([[['has read nothing for 30 s', false]], true]);
  expect(vi.getTimerCount()).toBe(0);
});
