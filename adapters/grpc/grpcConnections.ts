import { constants, type Http2Stream } from 'node:http2';
import { createServer, type Server, type Socket } from 'node:net';
import { reasonOf } from '../disk/files.ts';
import { type ListenAddress, showAddress } from '../http/listenAddress.ts';
import { cutGreediest, UNREAD_BYTES_MAX } from '../http/unread.ts';
import { OperatingError } from '../operatingError.ts';

export interface GrpcLimits {
  readonly connectionsMax: number;
  /** Bytes of answers that clients have not read yet. Above it, the connection with the most is cut. */
  readonly unreadBytesMax: number;
  /** Bytes of requests whose calls have not ended. Above it, the connection with the most is cut. */
  readonly requestBytesMax: number;
  /** Time for the whole request of a unary call to arrive. */
  readonly requestTimeoutMs: number;
}

const LIMITS: GrpcLimits = {
  connectionsMax: 1000,
  unreadBytesMax: UNREAD_BYTES_MAX,
  requestBytesMax: 256 * 1024 * 1024,
  requestTimeoutMs: 10_000,
};

/** A call that was answered. The library emits `cancelled` when its stream ends, even if it was read completely. */
interface AnsweredCall {
  getPeer(): string;
  once(event: 'cancelled', done: () => void): unknown;
}

interface Connection {
  readonly socket: Socket;
  unread: number;
  requested: number;
}

/**
 * Connections of gRPC clients. The library itself bounds neither their number, nor their unread answers, nor their
 * requests together and in time.
 */
export class GrpcConnections {
  readonly #limits: GrpcLimits;
  readonly #server: Server;
  /** Keyed by `ip:port`. */
  readonly #connections = new Map<string, Connection>();
  #unread = 0;
  #requested = 0;

  constructor(limits: Partial<GrpcLimits>, take: (socket: Socket) => void) {
    this.#limits = { ...LIMITS, ...limits };
    this.#server = createServer({ noDelay: true }, (socket) => {
      const peer = `${socket.remoteAddress}:${socket.remotePort}`;
      this.#connections.set(peer, { socket, unread: 0, requested: 0 });
      socket.once('close', () => this.#connections.delete(peer));
      take(socket);
    });
    this.#server.maxConnections = this.#limits.connectionsMax;
  }

  /** Returns the address with the actual port. Throws OperatingError. */
  async listen({ host, port }: ListenAddress, onError: (error: unknown) => void): Promise<ListenAddress> {
    const server = this.#server;
    await new Promise<void>((resolve, reject) => {
      server.once('error', (error) =>
        reject(
          new OperatingError(`grpc: cannot listen on ${showAddress({ host, port })}: ${reasonOf(error)}`),
        ),
      );
      server.listen({ host, port }, resolve);
    });
    server.removeAllListeners('error');
    server.on('error', onError);
    const at = server.address();
    return { host, port: typeof at === 'object' && at !== null ? at.port : port };
  }

  /** Accepts no more connections; existing ones end with their calls. */
  close(): void {
    this.#server.close();
  }

  /**
   * Counts what arrives of a request until its call ends. `onLate`: it is not complete in time. The returned function
   * counts more: a message that came compressed.
   */
  onRequest(peer: string, stream: Http2Stream, onLate: (() => void) | undefined): (bytes: number) => void {
    const connection = this.#connections.get(peer);
    if (connection === undefined) return () => {};
    let held = 0;
    const hold = (bytes: number): void => {
      held += bytes;
      connection.requested += bytes;
      this.#requested += bytes;
    };
    const holdMore = (bytes: number): void => {
      if (stream.destroyed) return;
      hold(bytes);
      this.#cutAbove(this.#requested, this.#limits.requestBytesMax, ({ requested }) => requested);
    };
    stream.on('data', (chunk: Uint8Array) => holdMore(chunk.length));
    stream.once('close', () => hold(-held));
    if (onLate !== undefined) this.#endLate(stream, onLate);
    return holdMore;
  }

  #endLate(stream: Http2Stream, onLate: () => void): void {
    const late = setTimeout(() => {
      onLate();
      // The client may send on after its answer.
      stream.close(constants.NGHTTP2_NO_ERROR);
    }, this.#limits.requestTimeoutMs);
    for (const event of ['end', 'close']) stream.once(event, () => clearTimeout(late));
  }

  /** Counts an answer as unread until its call ends. */
  onAnswer(call: AnsweredCall, bytes: number): void {
    const connection = this.#connections.get(call.getPeer());
    if (connection === undefined) return;
    connection.unread += bytes;
    this.#unread += bytes;
    call.once('cancelled', () => {
      connection.unread -= bytes;
      this.#unread -= bytes;
    });
    this.#cutAbove(this.#unread, this.#limits.unreadBytesMax, ({ unread }) => unread);
  }

  #cutAbove(total: number, bytesMax: number, bytesOf: (connection: Connection) => number): void {
    if (total <= bytesMax) return;
    cutGreediest(this.#connections.values(), bytesOf, bytesMax, ({ socket }) => socket.destroy());
  }
}
