import type { RpcContext } from '../context.ts';
import type { HttpAnswer } from '../httpAnswer.ts';
import { isArray, type Json, parseJson } from '../jsonText.ts';
import { CODES } from '../rpcError.ts';
import { jsonArgs, uriArgs } from './args.ts';
import {
  type CometRequest,
  errorText,
  notARequest,
  outcomeOf,
  readRequest,
  resultText,
  URI_ID,
} from './envelope.ts';
import { cometLimits } from './limits.ts';
import { type CometMethod, isCacheable } from './method.ts';
import { findCometMethod, servedMethods, WEBSOCKET_METHODS } from './table.ts';

const CACHE_CONTROL = 'public, max-age=86400';

function jsonAnswer(ctx: RpcContext, status: number, body: string, cacheable = false): HttpAnswer {
  const headers = {
    'content-type': 'application/json',
    'x-server-time': String(Math.floor(ctx.now() / 1_000_000)),
    ...(cacheable ? { 'cache-control': CACHE_CONTROL } : {}),
  };
  return { status, headers, body };
}

interface Reply {
  readonly text: string;
  readonly cacheable: boolean;
}

async function answerCall(ctx: RpcContext, { id, method, params }: CometRequest): Promise<Reply> {
  const row = findCometMethod(ctx, method);
  if (row === undefined) return { text: errorText(id, CODES.methodNotFound, ''), cacheable: false };
  const args = jsonArgs(row.args, params);
  if (!args.ok) {
    const data = `error converting json params to arguments: ${args.error}`;
    return { text: errorText(id, CODES.invalidParams, data), cacheable: false };
  }
  const outcome = await outcomeOf(ctx, method, () => row.run(ctx, args.value));
  if (!outcome.ok) return { text: errorText(id, CODES.internal, outcome.data), cacheable: false };
  return { text: resultText(id, outcome.value), cacheable: isCacheable(row, args.value) };
}

/** The requests in a body, or the reason why it cannot be read. */
function readRequests(value: Json): readonly CometRequest[] | string {
  const requests: CometRequest[] = [];
  for (const entry of isArray(value) ? value : [value]) {
    const request = readRequest(entry);
    if (!request.ok) return isArray(value) ? notARequest(value) : request.error;
    requests.push(request.value);
  }
  return requests;
}

/**
 * Answers a JSON-RPC body posted to `/` as CometBFT does: one request after another, replies in order, a single reply
 * as an object.
 */
export async function handleCometPost(ctx: RpcContext, body: string): Promise<HttpAnswer> {
  if (body === '') return endpointList(ctx);
  const parsed = parseJson(body);
  const requests = parsed.ok
    ? readRequests(parsed.value)
    : `error unmarshaling request: ${parsed.error.message}`;
  if (typeof requests === 'string') return jsonAnswer(ctx, 500, errorText(undefined, CODES.parse, requests));
  const { batchMax } = cometLimits(ctx);
  if (requests.length > batchMax) {
    const data = `batch request exceeds maximum (${batchMax}) allowed number of requests`;
    return jsonAnswer(ctx, 200, errorText(undefined, CODES.invalidRequest, data));
  }
  const replies: Reply[] = [];
  for (const request of requests) if (request.id !== undefined) replies.push(await answerCall(ctx, request));
  if (replies.length === 0) return jsonAnswer(ctx, 200, '');
  const texts = replies.map(({ text }) => text);
  const cacheable = replies.every((reply) => reply.cacheable);
  return jsonAnswer(ctx, 200, texts.length === 1 ? (texts[0] as string) : `[${texts.join(',')}]`, cacheable);
}

const NOT_FOUND: HttpAnswer = {
  status: 404,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body: '404 page not found\n',
};

/** Answers a URI call: `/method?name=value`. `query` excludes the question mark. */
export async function handleCometGet(ctx: RpcContext, path: string, query: string): Promise<HttpAnswer> {
  if (path === '/' || path === '') return endpointList(ctx);
  const name = path.slice(1);
  if (WEBSOCKET_METHODS.includes(name))
    return jsonAnswer(ctx, 404, errorText(URI_ID, CODES.methodNotFound, ''));
  const row = findCometMethod(ctx, name);
  if (row === undefined) return NOT_FOUND;
  const args = uriArgs(row.args, query);
  if (!args.ok) {
    const data = `error converting http params to arguments: ${args.error}`;
    return jsonAnswer(ctx, 500, errorText(URI_ID, CODES.invalidParams, data));
  }
  const outcome = await outcomeOf(ctx, name, () => row.run(ctx, args.value));
  if (!outcome.ok) return jsonAnswer(ctx, 500, errorText(URI_ID, CODES.internal, outcome.data));
  return jsonAnswer(ctx, 200, resultText(URI_ID, outcome.value), isCacheable(row, args.value));
}

function endpointName({ method, args }: CometMethod): string {
  const query = args.map(({ name }) => `${name}=_`).join('&');
  return query === '' ? `/${method}` : `/${method}?${query}`;
}

/** The HTML list of endpoints at the root. */
function endpointList(ctx: RpcContext): HttpAnswer {
  const names = servedMethods(ctx).map(endpointName).sort();
  const links = names.map((path) => `<a href="${path}">${path}</a></br>`).join('');
  const body = `<html><body><br>Available endpoints:<br>${links}</body></html>`;
  return { ...jsonAnswer(ctx, 200, body), headers: { 'content-type': 'text/html' } };
}
