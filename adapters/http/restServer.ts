import type { IncomingMessage, ServerResponse } from 'node:http';
import { type GrpcWebAnswer, type GrpcWebRequest, isGrpcWeb } from '../../core/rpc/cosmos/grpcWeb.ts';
import type { HttpAnswer } from '../../core/rpc/httpAnswer.ts';
import { type BodyOutcome, readBody } from './body.ts';
import type { CorsPolicy } from './cors.ts';
import { HttpServer, type SurfaceOptions } from './httpServer.ts';
import { replyAnswer, replyEarly, textAnswer } from './reply.ts';
import { targetOf } from './target.ts';

export interface RestRequest {
  readonly method: string;
  /** Percent-encoded, as sent. */
  readonly path: string;
  /** Without `?`. */
  readonly query: string;
  readonly body: string;
  /** Header names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

export interface RestServerOptions extends SurfaceOptions {
  readonly handle: (request: RestRequest) => Promise<HttpAnswer>;
  /** Serves gRPC-Web on the same port; absent: not served. */
  readonly grpcWeb?: ((request: GrpcWebRequest) => Promise<GrpcWebAnswer>) | undefined;
}

const NO_CORS: CorsPolicy = { origins: [], methods: [], headers: [] };

/** The REST server: the paths of the service table. */
export function startRestServer(options: RestServerOptions): Promise<HttpServer> {
  return HttpServer.listen({
    name: 'rest',
    listen: options.listen,
    cors: options.cors ?? NO_CORS,
    connectionsMax: options.connectionsMax,
    ...(options.limits === undefined ? {} : { limits: options.limits }),
    onError: options.onError,
    route: (request, response) => answer(options, request, response),
  });
}

async function answer(
  options: RestServerOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const contentType = request.headers['content-type'];
  if (options.grpcWeb !== undefined && contentType !== undefined && isGrpcWeb(contentType))
    return answerGrpcWeb(options, options.grpcWeb, request, response);
  const method = request.method ?? 'GET';
  const hasBody = method !== 'GET' && method !== 'HEAD';
  const outcome: BodyOutcome = hasBody
    ? await new Promise((resolve) => readBody(request, options.bodyBytesMax, resolve))
    : { kind: 'body', text: '' };
  if (outcome.kind === 'aborted') return;
  if (outcome.kind === 'too-large') {
    const message = `request body above ${options.bodyBytesMax} bytes`;
    const body = JSON.stringify({ code: 8, message, details: [] });
    replyEarly(response, { status: 413, headers: { 'content-type': 'application/json' }, body });
    return;
  }
  const handled = await options.handle({
    method,
    ...targetOf(request),
    body: outcome.text,
    headers: request.headers,
  });
  replyAnswer(response, handled);
}

async function answerGrpcWeb(
  options: RestServerOptions,
  handle: (request: GrpcWebRequest) => Promise<GrpcWebAnswer>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const outcome: BodyOutcome = await new Promise((resolve) =>
    readBody(request, options.bodyBytesMax, resolve, 'latin1'),
  );
  if (outcome.kind === 'aborted') return;
  if (outcome.kind === 'too-large') {
    replyEarly(response, textAnswer(413, `request body above ${options.bodyBytesMax} bytes`));
    return;
  }
  const { headers, body } = await handle({
    path: targetOf(request).path,
    contentType: request.headers['content-type'] ?? '',
    height: request.headers['x-cosmos-block-height'] as string | undefined,
    body: Uint8Array.from(Buffer.from(outcome.text, 'latin1')),
  });
  response.writeHead(200, { ...headers, 'content-length': body.length });
  response.end(body);
}
