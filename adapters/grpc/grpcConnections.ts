import { createServer, type Server, type Socket } from 'node:net';
import { reasonOf } from '../disk/files.ts';
import { type ListenAddress, showAddress } from '../http/listenAddress.ts';
import { cutGreediest, UNREAD_BYTES_MAX } from '../http/unread.ts';
import { OperatingError } from '../operatingError.ts';

export interface GrpcLimits {
  readonly connectionsMax: number;
  /** Of answers that clients have not taken yet. Above it the connection is cut that leaves most. */
  readonly unreadBytesMax: number;
}

const LIMITS: GrpcLimits = { connectionsMax: 1000, unreadBytesMax: UNREAD_BYTES_MAX };

/** A call that is answered; the library says `cancelled` when its stream is over, whether it was read to its end or not. */
interface AnsweredCall {
  getPeer(): string;
  once(event: 'cancelled', done: () => void): unknown;
}

interface Connection {
  readonly socket: Socket;
  unread: number;
}

/** Connections of gRPC clients. The library itself takes as many as come, and holds what they do not read. */
export class GrpcConnections {
  readonly #limits: GrpcLimits;
  readonly #server: Server;
  /** By `ip:port`. */
  readonly #connections = new Map<string, Connection>();
  #unread = 0;

  constructor(limits: Partial<GrpcLimits>, take: (socket: Socket) => void) {
    this.#limits = { ...LIMITS, ...limits };
    this.#server = createServer({ noDelay: true }, (socket) => {
      const peer = `${socket.remoteAddress}:${socket.remotePort}`;
      this.#connections.set(peer, { socket, unread: 0 });
      socket.once('close', () => this.#connections.delete(peer));
      take(socket);
    });
    this.#server.maxConnections = this.#limits.connectionsMax;
  }

  /** The address with its real port. Throws OperatingError. */
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

  /** No more connections; those there are end with their calls. */
  close(): void {
    this.#server.close();
  }

  /** Counts an answer until it is taken. */
  onAnswer(call: AnsweredCall, bytes: number): void {
    const connection = this.#connections.get(call.getPeer());
    if (connection === undefined) return;
    connection.unread += bytes;
    this.#unread += bytes;
    call.once('cancelled', () => {
      connection.unread -= bytes;
      this.#unread -= bytes;
    });
    const { unreadBytesMax } = this.#limits;
    if (this.#unread <= unreadBytesMax) return;
    cutGreediest(
      this.#connections.values(),
      ({ unread }) => unread,
      unreadBytesMax,
      ({ socket }) => socket.destroy(),
    );
  }
}
