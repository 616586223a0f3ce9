import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HttpAnswer } from '../../core/rpc/httpAnswer.ts';
import type { WsEndpoint } from '../ws/wsEndpoint.ts';
import { announcedBytes, readBody } from './body.ts';
import { ANY_ORIGIN } from './cors.ts';
import { HttpServer, type SurfaceOptions } from './httpServer.ts';
import { replyEarly, replyJson, replyText, textAnswer } from './reply.ts';

export interface JsonRpcServerOptions extends SurfaceOptions {
  /** Used in messages; default `json-rpc`. */
  readonly name?: string;
  /** Maps a request body to a response body, which is empty if there is no response. */
  readonly handle: (body: string) => Promise<string>;
  /** Serves websocket sessions on the same port. */
  readonly ws?: WsEndpoint;
}

const CONTENT_TYPES: ReadonlySet<string> = new Set([
  'application/json',
  'application/json-rpc',
  'application/jsonrequest',
]);

/** Ethereum JSON-RPC over HTTP with geth's transport rules (rpc/http.go). */
export function startJsonRpcServer(options: JsonRpcServerOptions): Promise<HttpServer> {
  const { ws } = options;
  return HttpServer.listen({
    name: options.name ?? 'json-rpc',
    listen: options.listen,
    cors: options.cors ?? ANY_ORIGIN,
    connectionsMax: options.connectionsMax,
    onError: options.onError,
    ...(options.limits === undefined ? {} : { limits: options.limits }),
    ...(ws === undefined ? {} : { upgrade: (request, socket, head) => ws.upgrade(request, socket, head) }),
    route: (request, response) => answer(options, request, response),
  });
}

function answer(options: JsonRpcServerOptions, request: IncomingMessage, response: ServerResponse): void {
  const refusal = refusalOf(options.bodyBytesMax, request);
  if (refusal !== undefined) {
    replyEarly(response, refusal);
    return;
  }
  // Load balancers send a plain GET as a health check.
  if (request.method !== 'POST') {
    replyJson(response, '');
    return;
  }
  readBody(request, options.bodyBytesMax, (outcome) => {
    if (outcome.kind === 'aborted') return;
    if (outcome.kind === 'too-large') {
      replyEarly(response, tooLarge(outcome.bytes, options.bodyBytesMax));
      return;
    }
    if (outcome.text === '') {
      replyJson(response, '');
      return;
    }
    options.handle(outcome.text).then(
      (body) => replyJson(response, body),
      (error: unknown) => {
        options.onError(error);
        replyText(response, 500, 'internal error');
      },
    );
  });
}

const tooLarge = (bytes: number, bytesMax: number): HttpAnswer =>
  textAnswer(413, `content length too large (${bytes}>${bytesMax})`);

function refusalOf(bytesMax: number, request: IncomingMessage): HttpAnswer | undefined {
  const { method, headers } = request;
  const path = request.url ?? '/';
  if (path !== '/' && !path.startsWith('/?')) return textAnswer(404, '404 page not found');
  if (method === 'OPTIONS' || method === 'HEAD' || method === 'GET') return undefined;
  if (method !== 'POST') return textAnswer(405, 'method not allowed');
  const announced = announcedBytes(request);
  if (announced !== undefined && announced > bytesMax) return tooLarge(announced, bytesMax);
  const type = headers['content-type'] ?? '';
  const semicolon = type.indexOf(';');
  const mediaType = (semicolon === -1 ? type : type.slice(0, semicolon)).trim().toLowerCase();
  if (CONTENT_TYPES.has(mediaType)) return undefined;
  return textAnswer(415, 'invalid content type, only application/json is supported');
}
