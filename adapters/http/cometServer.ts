import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HttpAnswer } from '../../core/rpc/httpAnswer.ts';
import type { WsEndpoint } from '../ws/wsEndpoint.ts';
import { readBody } from './body.ts';
import type { CorsPolicy } from './cors.ts';
import { type HttpLimits, HttpServer, type SurfaceOptions } from './httpServer.ts';
import { replyAnswer, replyEarly } from './reply.ts';
import { targetOf } from './target.ts';

export interface CometServerOptions extends SurfaceOptions {
  /** Handles JSON-RPC: the body of a POST to `/`. */
  readonly post: (body: string) => Promise<HttpAnswer>;
  /** Handles URI calls: the path, and the raw query without `?`, including the fields of a posted form. */
  readonly get: (path: string, query: string) => Promise<HttpAnswer>;
  /** Sessions at `/websocket`. */
  readonly ws: WsEndpoint;
}

/** CometBFT's `cors_allowed_*` defaults: disabled until origins are set, then with these methods and headers. */
const COMET_CORS: CorsPolicy = {
  origins: [],
  methods: ['HEAD', 'GET', 'POST'],
  headers: ['Origin', 'Accept', 'Content-Type', 'X-Requested-With', 'X-Server-Time'],
};

/** CometBFT's limits: 1 MiB of headers, 10 s per request. */
const COMET_LIMITS: Partial<HttpLimits> = { headerBytesMax: 1024 * 1024, requestTimeoutMs: 10_000 };

const BODY_TOO_LARGE: HttpAnswer = {
  status: 400,
  headers: { 'content-type': 'application/json' },
  body:
    '{"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid Request",' +
    '"data":"error reading request body: http: request body too large"}}',
};

/** The consensus RPC: JSON-RPC at `/`, one path per method, and `/websocket`. */
export function startCometServer(options: CometServerOptions): Promise<HttpServer> {
  return HttpServer.listen({
    name: 'consensus rpc',
    listen: options.listen,
    cors: options.cors ?? COMET_CORS,
    connectionsMax: options.connectionsMax,
    limits: { ...COMET_LIMITS, ...options.limits },
    onError: options.onError,
    upgrade: (request, socket, head) => options.ws.upgrade(request, socket, head),
    route: (request, response) => answer(options, request, response),
  });
}

async function answer(
  options: CometServerOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { path, query } = targetOf(request);
  if (request.method !== 'POST') {
    replyAnswer(response, await options.get(path, query));
    return;
  }
  const outcome = await new Promise<Parameters<Parameters<typeof readBody>[2]>[0]>((resolve) =>
    readBody(request, options.bodyBytesMax, resolve),
  );
  if (outcome.kind === 'aborted') return;
  if (outcome.kind === 'too-large') replyEarly(response, BODY_TOO_LARGE);
  else if (path === '/' && outcome.text !== '') replyAnswer(response, await options.post(outcome.text));
  else replyAnswer(response, await options.get(path, joinForm(request, query, outcome.text)));
}

/** Fields of a posted form precede those of the query, as in Go's Request.Form. */
function joinForm(request: IncomingMessage, query: string, body: string): string {
  const isForm = request.headers['content-type']?.startsWith('application/x-www-form-urlencoded') === true;
  if (!isForm || body === '') return query;
  return query === '' ? body : `${body}&${query}`;
}
