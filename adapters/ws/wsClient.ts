import type { Duplex } from 'node:stream';
import type { RawData, WebSocket } from 'ws';
import type { SessionOut, SharedTexts } from '../../core/rpc/httpAnswer.ts';
import { sharedFrames } from './frames.ts';

/** One client's session. The endpoint passes one message at a time. */
export interface WsSession {
  /** The next message is read after the promise has settled. */
  message(text: string): void | Promise<void>;
  /** Called when sent data has left and there is room for more. */
  drained?(): void;
  /** The socket is closed or about to close: ends the subscriptions. */
  close(): void;
}

export interface WsLimits {
  readonly connectionsMax: number;
  readonly frameBytesMax: number;
  /**
   * Maximum waiting messages of a client, or `frameBytesMax` of them in total; at the limit, the client is not read.
   */
  readonly waitingMax: number;
  /** Unread bytes of a client above which it is closed as too slow. */
  readonly bufferedBytesMax: number;
  /**
   * Unread bytes of all clients, without buffers that clients share. Above it, the clients with the most are closed.
   */
  readonly unreadBytesMax: number;
  readonly pingMs: number;
  /** A client without any frame or pong for this long counts as gone. */
  readonly silenceMs: number;
}

/** Below this many unwritten bytes the session may send more. */
const DRAINED_BYTES = 64 * 1024;
/** A websocket close reason has at most this many bytes. */
const REASON_BYTES_MAX = 123;
const POLICY_VIOLATION = 1008;
const INTERNAL_ERROR = 1011;

/** One websocket: reads messages one at a time and bounds the data held in both directions. */
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

  /** `socket` is the socket under `ws`. */
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
    // On a bad frame or a reset, ws itself closes the socket with the right code.
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

  /** Writes frames directly to the socket: ws would encode them again for each client. */
  sendShared(opening: string, shared: SharedTexts): void {
    if (this.#ws.readyState !== this.#ws.OPEN) return;
    this.#gather();
    this.#socket.write(sharedFrames(opening, shared), this.#onWritten);
    this.#bound();
  }

  #bound(): void {
    if (this.#ws.bufferedAmount > this.#limits.bufferedBytesMax) this.closeSlow();
  }

  /** Unread bytes held for this client alone. */
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

  /** Sends pings, and disconnects a client that was silent for too long. */
  check(now: number): void {
    // While the socket is not read, silence means nothing.
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

  /** Data sent within one turn, such as all events of a block, is written with one system call. */
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
