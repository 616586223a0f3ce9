import { createServer, type Server, type Socket } from 'node:net';
import { reasonOf } from '../disk/files.ts';
import { type ListenAddress, showAddress } from '../http/listenAddress.ts';
import { cutGreediest, UNREAD_BYTES_MAX } from '../http/unread.ts';
import { OperatingError } from '../operatingError.ts';

export interface GrpcLimits {
  readonly connectionsMax: number;
  /** Bytes of answers that clients have not read yet. Above it, the connection with the most is cut. */
  readonly unreadBytesMax: number;
}

const LIMITS: GrpcLimits = { connectionsMax: 1000, unreadBytesMax: UNREAD_BYTES_MAX };

/** A call that was answered. The library emits `cancelled` when its stream ends, even if it was read completely. */
interface AnsweredCall {
  getPeer(): string;
  once(event: 'cancelled', done: () => void): unknown;
}

interface Connection {
  readonly socket: Socket;
  unread: number;
}

/** Connections of gRPC clients. The library itself bounds neither their number nor their unread answers. */
export class GrpcConnections {
  readonly #limits: GrpcLimits;
  readonly #server: Server;
  /** Keyed by `ip:port`. */
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
