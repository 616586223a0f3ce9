import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { reasonOf } from '../disk/files.ts';
import { OperatingError } from '../operatingError.ts';
import { answerCors, type CorsPolicy } from './cors.ts';
import { asksForWebSocket, withoutUpgrade } from './declinedUpgrade.ts';
import { type ListenAddress, showAddress } from './listenAddress.ts';
import { refuseUpgrade } from './refuseUpgrade.ts';
import { replyText } from './reply.ts';
import { cutGreediest, UNREAD_BYTES_MAX } from './unread.ts';

/** Options that all HTTP servers of the node have. */
export interface SurfaceOptions {
  readonly listen: ListenAddress;
  readonly bodyBytesMax: number;
  readonly connectionsMax: number;
  readonly cors?: CorsPolicy;
  readonly limits?: Partial<HttpLimits>;
  readonly onError: (error: unknown) => void;
}

export interface HttpServerOptions extends Omit<SurfaceOptions, 'bodyBytesMax'> {
  /** Used in messages: `json-rpc`. */
  readonly name: string;
  readonly cors: CorsPolicy;
  /** Answers one request. If it throws, that is a bug: the client gets 500, and `onError` the error. */
  readonly route: (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;
  /** Takes over the connection of a websocket upgrade; without it, such requests are refused. */
  readonly upgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
}

export interface HttpLimits {
  readonly headerBytesMax: number;
  /** Time for the whole request to arrive. */
  readonly requestTimeoutMs: number;
  /** Time to the next request on an open connection. */
  readonly idleTimeoutMs: number;
  /** Requests that a connection may send before their answers; a connection that sends more is cut. */
  readonly pipelinedMax: number;
  /** A client that reads nothing of its answer for this long is cut. */
  readonly stallMs: number;
  /** Bytes of answers that clients have not read yet. Above it, the connections with the most are cut. */
  readonly unreadBytesMax: number;
}

const LIMITS: HttpLimits = {
  headerBytesMax: 64 * 1024,
  requestTimeoutMs: 30_000,
  idleTimeoutMs: 120_000,
  pipelinedMax: 100,
  stallMs: 30_000,
  unreadBytesMax: UNREAD_BYTES_MAX,
};

/** How long a stop waits for running requests. */
const DRAIN_MS = 5_000;

/** Interval of the check for unread bytes: short enough that the node cannot produce too much in between. */
const UNREAD_CHECK_MS = 1_000;

const PENDING = Symbol('requests under way');
const ANSWERS = Symbol('answers under way');
type CountedSocket = Socket & { [PENDING]?: number; [ANSWERS]?: Set<ServerResponse> };

/** Unread bytes of written answers: in the socket, and in answers that wait behind earlier ones. */
function unreadBytes(socket: CountedSocket): number {
  let bytes = socket.writableLength;
  for (const answer of socket[ANSWERS] ?? []) if (answer.socket === null) bytes += answer.writableLength;
  return bytes;
}

/** A listening HTTP server with the limits that all servers of the node need. */
export class HttpServer {
  readonly #server: Server;
  readonly #options: HttpServerOptions;
  readonly #limits: HttpLimits;
  readonly #sockets = new Set<CountedSocket>();
  readonly #unreadChecks: NodeJS.Timeout;
  #isDraining = false;
  /** The listen address; for port 0, with the port that the system chose. */
  readonly address: ListenAddress;

  /** Throws OperatingError if it cannot listen on the address. */
  static async listen(options: HttpServerOptions): Promise<HttpServer> {
    const limits = { ...LIMITS, ...options.limits };
    const server = createServer({
      maxHeaderSize: limits.headerBytesMax,
      requestTimeout: limits.requestTimeoutMs,
      headersTimeout: limits.requestTimeoutMs,
      keepAliveTimeout: limits.idleTimeoutMs,
      connectionsCheckingInterval: 5_000,
      noDelay: true,
    });
    server.maxConnections = options.connectionsMax;
    await new Promise<void>((resolve, reject) => {
      server.once('error', (error) => reject(listenError(options, error)));
      server.listen(options.listen.port, options.listen.host, () => resolve());
    });
    server.removeAllListeners('error');
    return new HttpServer(server, options, limits);
  }

  private constructor(server: Server, options: HttpServerOptions, limits: HttpLimits) {
    this.#server = server;
    this.#options = options;
    this.#limits = limits;
    this.address = { host: options.listen.host, port: (server.address() as AddressInfo).port };
    const { unreadBytesMax } = limits;
    this.#unreadChecks = setInterval(
      () => cutGreediest(this.#sockets, unreadBytes, unreadBytesMax, (socket) => socket.destroy()),
      UNREAD_CHECK_MS,
    );
    this.#unreadChecks.unref();
    server.on('error', options.onError);
    server.on('connection', (socket) => this.#onConnection(socket));
    server.on('request', (request, response) => this.#onRequest(request, response));
    server.on('upgrade', (request, socket, head) => this.#onUpgrade(request, socket, head));
  }

  /** For example `127.0.0.1:8545`. */
  get label(): string {
    return showAddress(this.address);
  }

  /** Accepts no more requests, finishes running ones, and cuts connections that are still open after `drainMs`. */
  async close(drainMs: number = DRAIN_MS): Promise<void> {
    this.#isDraining = true;
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const socket of this.#sockets) if (!socket[PENDING]) socket.destroy();
    const cut = setTimeout(() => {
      for (const socket of this.#sockets) socket.destroy();
    }, drainMs);
    await closed;
    clearTimeout(cut);
    clearInterval(this.#unreadChecks);
  }

  #onConnection(socket: CountedSocket): void {
    if (this.#sockets.has(socket)) return;
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
  }

  #onRequest(request: IncomingMessage, response: ServerResponse): void {
    const socket: CountedSocket = request.socket;
    const pending = (socket[PENDING] ?? 0) + 1;
    socket[PENDING] = pending;
    if (pending > this.#limits.pipelinedMax) {
      socket.destroy();
      return;
    }
    socket[ANSWERS] ??= new Set();
    socket[ANSWERS].add(response);
    response.on('close', () => this.#onAnswered(socket, response));
    // The whole answer is written: from now until it is sent, the client must keep reading.
    response.on('prefinish', () => socket.setTimeout(this.#limits.stallMs));
    // Must run before Node's own listener, which starts the next answer or waits for the next request.
    response.prependListener('finish', () => socket.setTimeout(0));
    if (this.#isDraining) response.setHeader('connection', 'close');
    request.url = originForm(request.url ?? '/');
    if (request.headers.origin !== undefined && answerCors(this.#options.cors, request, response)) return;
    try {
      const answering = this.#options.route(request, response);
      if (answering !== undefined) answering.catch((error: unknown) => this.#onBug(response, error));
    } catch (error) {
      this.#onBug(response, error);
    }
  }

  #onAnswered(socket: CountedSocket, response: ServerResponse): void {
    socket[ANSWERS]?.delete(response);
    const pending = (socket[PENDING] ?? 1) - 1;
    socket[PENDING] = pending;
    if (this.#isDraining && pending === 0) socket.destroy();
  }

  #onUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { upgrade } = this.#options;
    if (!asksForWebSocket(request)) {
      this.#declineUpgrade(request, socket, head);
      return;
    }
    // The session closes the connection itself; a stop waits for that like for an answer.
    (request.socket as CountedSocket)[PENDING] = 1;
    if (upgrade !== undefined && !this.#isDraining) upgrade(request, socket, head);
    else refuseUpgrade(socket, '400 Bad Request');
  }

  /** Node has released the connection: returns it to the server with the same request, without the upgrade headers. */
  #declineUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    // Unfinished answers belong to the parser that was released; a new answer could overtake them.
    if ((request.socket as CountedSocket)[PENDING]) {
      socket.destroy();
      return;
    }
    socket.unshift(Buffer.concat([withoutUpgrade(request), head]));
    this.#server.emit('connection', socket);
  }

  #onBug(response: ServerResponse, error: unknown): void {
    this.#options.onError(error);
    if (response.headersSent) response.destroy();
    else replyText(response, 500, 'internal error');
  }
}

/** `/path?query` of an absolute target, as sent to a proxy: servers must accept both forms (RFC 9112 3.2.2). */
const originForm = (target: string): string =>
  target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?]*\/?/i, '/');

const LISTEN_REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'address already in use',
  EADDRNOTAVAIL: 'address not available on this machine',
  ENOTFOUND: 'unknown host',
};

function listenError({ name, listen }: HttpServerOptions, error: NodeJS.ErrnoException): OperatingError {
  const reason = LISTEN_REASONS[error.code ?? ''] ?? reasonOf(error);
  return new OperatingError(`cannot listen on ${showAddress(listen)} (${name}): ${reason}`, { cause: error });
}
