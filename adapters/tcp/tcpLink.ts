import type { Socket } from 'node:net';
import type { Bytes } from '../../core/lib/bytes.ts';
import type { Connection } from '../../core/p2p/connection.ts';
import type { ConnectionEvent } from '../../core/p2p/connectionContract.ts';
import type { Micros } from '../../core/types/ids.ts';
import { startTimer, steadyNow } from '../system.ts';

export interface TcpLinkOptions {
  readonly socket: Socket;
  readonly connection: Connection;
  /** The handshake must be complete by then, even if each step makes progress. */
  readonly handshakeEnds: Micros;
  readonly onEvent: (event: ConnectionEvent) => void;
  /** Bytes have arrived, and what they complete has been reported. */
  readonly onRead: () => void;
  /** The socket ended or failed, or was given up. Called at most once, and never after `close`. */
  readonly onEnded: (reason: string, isFault: boolean) => void;
  /** Whether the node has too much unhandled input, in total or from this peer: then the socket is not read. */
  readonly isOverloaded: () => boolean;
}

/** Maximum bytes passed to the socket at once. */
const WRITE_BYTES = 65_536;
/** A peer that reads nothing for this long is disconnected: else this node would hold its messages for ever. */
const STALL_MICROS_MAX = 30_000_000;
/** How soon an overloaded node checks again whether it can read. */
const OVERLOAD_MICROS = 5_000;
/** How long a closed link may still send its last bytes. */
const LINGER_MS = 500;

/** One socket and its protocol state machine. Passes bytes and times between them and makes no decisions. */
export class TcpLink {
  readonly connection: Connection;
  readonly #socket: Socket;
  readonly #options: TcpLinkOptions;
  #timer: NodeJS.Timeout | undefined;
  #timerAt: Micros = Number.MAX_SAFE_INTEGER;
  #isBlocked = false;
  #blockedAt: Micros = 0;
  #isFlushDue = false;
  #isReady = false;
  #isOver = false;
  #lost = 0;

  constructor(options: TcpLinkOptions) {
    this.#options = options;
    this.#socket = options.socket;
    this.connection = options.connection;
    this.#socket.setNoDelay(true);
    this.#socket.setKeepAlive(true, 30_000);
    this.#socket.on('data', (chunk: Buffer) => this.#onData(chunk));
    this.#socket.on('drain', () => {
      this.#isBlocked = false;
      this.#flush();
    });
    this.#socket.on('error', (error: NodeJS.ErrnoException) => this.#ended(error.code ?? error.message));
    this.#socket.on('end', () => this.#ended('the peer closed the connection'));
    this.#socket.on('close', () => this.#ended('the connection is closed'));
    this.#flush();
  }

  get bytesSent(): number {
    return this.#socket.bytesWritten;
  }

  get bytesReceived(): number {
    return this.#socket.bytesRead;
  }

  /** Messages dropped because the peer did not read fast enough. */
  get messagesLost(): number {
    return this.#lost;
  }

  /**
   * Queues a message. All queued messages are written at the end of this turn of the event loop. False when the queue
   * is full: the message is not sent.
   */
  send(channel: number, bytes: Bytes): boolean {
    if (this.#isOver) return false;
    if (!this.connection.send(channel, bytes)) {
      this.#flush();
      if (this.#isOver || !this.connection.send(channel, bytes)) {
        this.#lost += 1;
        return false;
      }
    }
    if (this.#isFlushDue) return true;
    this.#isFlushDue = true;
    setImmediate(() => {
      this.#isFlushDue = false;
      this.#flush();
    });
    return true;
  }

  /** Writes queued messages as far as the socket accepts them, then closes. */
  close(): void {
    if (this.#isOver) return;
    this.#flush();
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#socket.end();
    const linger = setTimeout(() => this.#socket.destroy(), LINGER_MS);
    linger.unref();
    this.#socket.once('close', () => clearTimeout(linger));
    this.#socket.resume();
  }

  #onData(chunk: Buffer): void {
    if (this.#isOver) return;
    const now = steadyNow();
    // A Buffer's slice would share its memory; the core expects a plain Uint8Array.
    this.connection.onBytes(now, new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.length));
    this.#deliver();
    this.#options.onRead();
    if (this.#isOver) return;
    if (this.#readPause(now) > 0) this.#socket.pause();
    this.#flush();
  }

  #readPause(now: Micros): Micros {
    const pause = this.connection.readPauseMicros(now);
    return this.#options.isOverloaded() ? Math.max(pause, OVERLOAD_MICROS) : pause;
  }

  #deliver(): void {
    for (const event of this.connection.events()) {
      if (this.#isOver) return;
      if (event.kind === 'closed') this.#ended(event.reason, event.isFault);
      else {
        if (event.kind === 'ready') this.#isReady = true;
        this.#options.onEvent(event);
      }
    }
  }

  #flush(): void {
    if (this.#isOver) return;
    const now = steadyNow();
    while (!this.#isBlocked) {
      const bytes = this.connection.take(now, WRITE_BYTES);
      if (bytes === undefined) break;
      if (!this.#socket.write(bytes)) {
        this.#isBlocked = true;
        this.#blockedAt = now;
      }
    }
    this.#arm(now);
  }

  /** One timer for all deadlines. It may fire early and be set again, but never late. */
  #arm(now: Micros): void {
    const at = this.#nextAt(now);
    if (this.#timer !== undefined && this.#timerAt <= at) return;
    clearTimeout(this.#timer);
    this.#timerAt = at;
    this.#timer = startTimer(() => this.#onTimer(), Math.max(1, Math.ceil((at - now) / 1000)));
  }

  #nextAt(now: Micros): Micros {
    let at = this.connection.deadline() ?? now;
    if (!this.#isReady) at = Math.min(at, this.#options.handshakeEnds);
    if (this.#isBlocked) at = Math.min(at, this.#blockedAt + STALL_MICROS_MAX);
    else if (this.connection.queued > 0) at = Math.min(at, now + this.connection.sendPauseMicros(now));
    if (this.#socket.isPaused()) at = Math.min(at, now + this.#readPause(now));
    return at;
  }

  #onTimer(): void {
    this.#timer = undefined;
    this.#timerAt = Number.MAX_SAFE_INTEGER;
    if (this.#isOver) return;
    const now = steadyNow();
    this.connection.onTime(now, !this.#socket.isPaused());
    if (!this.#isReady && now >= this.#options.handshakeEnds) {
      this.connection.close('the handshake takes too long', false);
    } else if (this.#isBlocked && now - this.#blockedAt >= STALL_MICROS_MAX) {
      this.connection.close(`has read nothing for ${STALL_MICROS_MAX / 1e6} s`, false);
    }
    this.#deliver();
    if (this.#isOver) return;
    if (this.#socket.isPaused() && this.#readPause(now) === 0) this.#socket.resume();
    this.#flush();
  }

  #ended(reason: string, isFault = false): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#socket.destroy();
    this.#options.onEnded(reason, isFault);
  }
}
