import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import type { SessionOut } from '../../core/rpc/httpAnswer.ts';
import { refuseUpgrade } from '../http/refuseUpgrade.ts';
import { cutGreediest, UNREAD_BYTES_MAX } from '../http/unread.ts';
import { isOriginAllowed } from './origin.ts';
import { WsClient, type WsLimits, type WsSession } from './wsClient.ts';

export interface WsEndpointOptions {
  /** Other paths are refused with 404; undefined accepts any. */
  readonly path: string | undefined;
  /** Host names of pages that may connect, or `*`. A client without Origin is not a browser page and is accepted. */
  readonly origins: readonly string[];
  /** `remote` is `ip:port`. */
  readonly open: (out: SessionOut, remote: string) => WsSession;
  readonly onError: (error: unknown) => void;
  readonly limits?: Partial<WsLimits>;
}

const LIMITS: WsLimits = {
  connectionsMax: 900,
  frameBytesMax: 1_000_000,
  waitingMax: 64,
  bufferedBytesMax: 16 * 1024 * 1024,
  unreadBytesMax: UNREAD_BYTES_MAX,
  pingMs: 27_000,
  silenceMs: 30_000,
};

const CHECKS_PER_PING = 9;
const GOING_AWAY = 1001;
const CLOSE_MS = 2_000;

/** Websocket sessions on the port of an HTTP server: bounded, pinged, closed with a reason when too slow. */
export class WsEndpoint {
  readonly #options: WsEndpointOptions;
  readonly #limits: WsLimits;
  readonly #server: WebSocketServer;
  readonly #clients = new Set<WsClient>();
  readonly #checks: NodeJS.Timeout;

  constructor(options: WsEndpointOptions) {
    this.#options = options;
    this.#limits = { ...LIMITS, ...options.limits };
    this.#server = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload: this.#limits.frameBytesMax,
      ...{ closeTimeout: CLOSE_MS },
    });
    this.#checks = setInterval(() => this.#check(), Math.ceil(this.#limits.pingMs / CHECKS_PER_PING));
    this.#checks.unref();
  }

  get connections(): number {
    return this.#clients.size;
  }

  /** Answers an HTTP upgrade request. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const refusal = this.#refusalOf(request);
    if (refusal !== undefined) {
      refuseUpgrade(socket, refusal);
      return;
    }
    this.#server.handleUpgrade(request, socket, head, (ws) => {
      const { remoteAddress = '', remotePort = 0 } = request.socket;
      const client = new WsClient(ws, socket, this.#limits, this.#options.onError, () =>
        this.#clients.delete(client),
      );
      this.#clients.add(client);
      client.start(this.#options.open(client, `${remoteAddress}:${remotePort}`));
    });
  }

  /** Closes all sessions with this reason. */
  close(reason: string): void {
    clearInterval(this.#checks);
    for (const client of this.#clients) client.close(GOING_AWAY, reason);
    this.#server.close();
  }

  #refusalOf(request: IncomingMessage): string | undefined {
    const path = (request.url ?? '/').split('?', 1)[0];
    if (this.#options.path !== undefined && path !== this.#options.path) return '404 Not Found';
    if (!isOriginAllowed(this.#options.origins, request.headers.origin)) return '403 Forbidden';
    return this.#clients.size >= this.#limits.connectionsMax ? '503 Service Unavailable' : undefined;
  }

  #check(): void {
    const now = performance.now();
    for (const client of this.#clients) client.check(now);
    cutGreediest(
      this.#clients,
      (client) => client.unread,
      this.#limits.unreadBytesMax,
      (client) => client.closeSlow(),
    );
  }
}
