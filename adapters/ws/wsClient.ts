import type { Duplex } from 'node:stream';
import type { RawData, WebSocket } from 'ws';
import type { SessionOut, SharedTexts } from '../../core/rpc/httpAnswer.ts';
import { sharedFrames } from './frames.ts';

/** One client's conversation. The endpoint hands over one message at a time. */
export interface WsSession {
  /** The next message is read when the promise has settled. */
  message(text: string): void | Promise<void>;
  /** What was sent has left; there is room for more. */
  drained?(): void;
  /** The socket is gone, or about to be: ends its subscriptions. */
  close(): void;
}

export interface WsLimits {
  readonly connectionsMax: number;
  readonly frameBytesMax: number;
  /** Messages of one client that wait, or `frameBytesMax` of them; then nothing more is read from it. */
  readonly waitingMax: number;
  /** Bytes that a client may leave unread; above that it is closed as too slow. */
  readonly bufferedBytesMax: number;
  /** Of all clients together, without what is held once for many; above it those are closed that leave most. */
  readonly unreadBytesMax: number;
  readonly pingMs: number;
  /** Silence (no frame, no pong) after which a client counts as gone. */
  readonly silenceMs: number;
}

/** With fewer bytes than this unwritten, the session is asked for more. */
const DRAINED_BYTES = 64 * 1024;
/** A websocket close reason has at most this many bytes. */
const REASON_BYTES_MAX = 123;
const POLICY_VIOLATION = 1008;
const INTERNAL_ERROR = 1011;

/** One websocket: reads messages one at a time, bounds what it holds in both directions. */
export class WsClient implements SessionOut {
  readonly #ws: WebSocket;
  readonly #socket: Duplex;
  #isCorked = false;
  readonly #limits: WsLimits;
  readonly #onError: (error: unknown) => void;
  readonly #waiting: string[] = [];
  #waitingBytes = 0;
  #unread = 0;
  #session: WsSession | undefined;
  #isHandling = false;
  #heardAt = performance.now();
  #pingedAt = performance.now();

  /** `socket` is the one under `ws`. */
  constructor(
    ws: WebSocket,
    socket: Duplex,
    limits: WsLimits,
    onError: (error: unknown) => void,
    onGone: () => void,
  ) {
    this.#ws = ws;
    this.#socket = socket;
    this.#limits = limits;
    this.#onError = onError;
    const heard = (): void => {
      this.#heardAt = performance.now();
    };
    ws.on('message', (data) => {
      heard();
      this.#onMessage(textOf(data));
    });
    ws.on('pong', heard);
    ws.on('ping', heard);
    // A bad frame or a reset: ws closes the socket itself with the fitting code.
    ws.on('error', () => {});
    ws.on('close', () => {
      onGone();
      this.#endSession();
    });
  }

  start(session: WsSession): void {
    this.#session = session;
    this.#next();
  }

  send(text: string): void {
    if (this.#ws.readyState !== this.#ws.OPEN) return;
    this.#gather();
    this.#unread += text.length;
    this.#ws.send(text, () => {
      this.#unread -= text.length;
      this.#onWritten();
    });
    this.#bound();
  }

  /** Frames are written beside ws, which would make each anew for each client. */
  sendShared(opening: string, shared: SharedTexts): void {
    if (this.#ws.readyState !== this.#ws.OPEN) return;
    this.#gather();
    this.#socket.write(sharedFrames(opening, shared), this.#onWritten);
    this.#bound();
  }

  #bound(): void {
    if (this.#ws.bufferedAmount > this.#limits.bufferedBytesMax) this.closeSlow();
  }

  /** What is held for this client alone. */
  get unread(): number {
    return this.#unread;
  }

  closeSlow(): void {
    this.close(POLICY_VIOLATION, 'slow client');
  }

  buffered(): number {
    return this.#ws.bufferedAmount;
  }

  close(code: number, reason: string): void {
    this.#waiting.length = 0;
    this.#waitingBytes = 0;
    this.#endSession();
    this.#ws.close(code, Buffer.from(reason).subarray(0, REASON_BYTES_MAX).toString());
  }

  /** Pings, and lets go of a client that has been silent for too long. */
  check(now: number): void {
    // Of a client that we do not read from, silence says nothing.
    if (this.#ws.isPaused) this.#heardAt = now;
    if (now - this.#heardAt > this.#limits.silenceMs) this.#ws.terminate();
    else if (now - this.#pingedAt >= this.#limits.pingMs && this.#ws.readyState === this.#ws.OPEN) {
      this.#pingedAt = now;
      this.#ws.ping();
    }
  }

  #onMessage(text: string): void {
    if (this.#ws.readyState !== this.#ws.OPEN) return;
    this.#waiting.push(text);
    this.#waitingBytes += text.length;
    if (!this.#hasRoom()) this.#ws.pause();
    this.#next();
  }

  #hasRoom(): boolean {
    const { waitingMax, frameBytesMax } = this.#limits;
    return this.#waiting.length < waitingMax && this.#waitingBytes < frameBytesMax;
  }

  #next(): void {
    if (this.#isHandling || this.#session === undefined) return;
    const text = this.#waiting.shift();
    if (text === undefined) return;
    this.#waitingBytes -= text.length;
    if (this.#ws.isPaused && this.#hasRoom()) this.#ws.resume();
    this.#isHandling = true;
    this.#handle(this.#session, text).then(() => {
      this.#isHandling = false;
      this.#next();
    });
  }

  async #handle(session: WsSession, text: string): Promise<void> {
    try {
      await session.message(text);
    } catch (error) {
      this.#onError(error);
      this.close(INTERNAL_ERROR, 'internal error');
    }
  }

  /** What is sent in one turn, such as all events of a block, leaves in one system call. */
  #gather(): void {
    if (this.#isCorked) return;
    this.#isCorked = true;
    this.#socket.cork();
    process.nextTick(this.#release);
  }

  readonly #release = (): void => {
    this.#isCorked = false;
    this.#socket.uncork();
  };

  readonly #onWritten = (): void => {
    if (this.#ws.bufferedAmount < DRAINED_BYTES) this.#session?.drained?.();
  };

  #endSession(): void {
    const session = this.#session;
    this.#session = undefined;
    session?.close();
  }
}

const textOf = (data: RawData): string =>
  Array.isArray(data)
    ? Buffer.concat(data).toString()
    : data instanceof ArrayBuffer
      ? Buffer.from(data).toString()
      : data.toString();
