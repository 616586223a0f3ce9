import type { RpcContext } from '../context.ts';
import { reportCrash } from '../crash.ts';
import type { HttpAnswer } from '../httpAnswer.ts';
import { goJson } from '../jsonText.ts';
import { heightOf } from './heightHeader.ts';
import { apiPage, openApiDocument } from './openApi.ts';
import { parseFields } from './restRequest.ts';
import { scopeAt } from './scope.ts';
import { GRPC, type GrpcCode, GrpcError, httpStatusOf } from './status.ts';
import { matchRest, SERVICE_METHODS } from './table.ts';

/** Header names in lower case. */
export type RestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

const HEIGHT_HEADER = 'x-cosmos-block-height';
const GATEWAY_HEIGHT_HEADER = 'grpc-metadata-x-cosmos-block-height';

const answer = (status: number, body: unknown, height?: number): HttpAnswer => ({
  status,
  headers: {
    'content-type': 'application/json',
    ...(height === undefined
      ? {}
      : { [HEIGHT_HEADER]: String(height), [GATEWAY_HEIGHT_HEADER]: String(height) }),
  },
  body: goJson(body),
});

const refusal = (code: GrpcCode, message: string): HttpAnswer =>
  answer(httpStatusOf(code), { code, message, details: [] });

/** The height that a header asks for; undefined means the latest. */
function askedHeight(headers: RestHeaders): bigint | undefined {
  const value = headers[HEIGHT_HEADER] ?? headers[GATEWAY_HEIGHT_HEADER];
  return heightOf(typeof value === 'string' ? value : value?.[0]);
}

function decodeSegments(path: string): readonly string[] | undefined {
  try {
    return path.slice(1).split('/').map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

/** The API's HTML page and its OpenAPI document. */
function description(ctx: RpcContext, path: string): HttpAnswer | undefined {
  if (path === '/openapi.json') return answer(200, openApiDocument(SERVICE_METHODS, ctx.identity.version));
  if (path !== '/' && path !== '/swagger/') return undefined;
  return {
    status: 200,
    headers: { 'content-type': 'text/html; charset=utf-8' },
    body: apiPage(SERVICE_METHODS),
  };
}

async function run(ctx: RpcContext, verb: string, request: RestRequest): Promise<HttpAnswer> {
  const { path, query, headers, body } = request;
  const described = verb === 'GET' ? description(ctx, path) : undefined;
  if (described !== undefined) return described;
  const segments = decodeSegments(path);
  const match = segments === undefined ? undefined : matchRest(verb, segments);
  if (match === undefined) return refusal(GRPC.unimplemented, 'Not Implemented');
  const named = parseFields(query);
  if (!named.ok) throw new GrpcError(GRPC.invalidArgument, named.error);
  const fields = new Map<string, readonly string[]>(named.value);
  for (const [name, text] of match.fields) fields.set(name, [text]);
  const scope = scopeAt(ctx, askedHeight(headers));
  return answer(200, await match.row.rest(scope, fields, body), scope.view.height);
}

export interface RestRequest {
  readonly method: string;
  /** Percent-encoded, as sent; without the query. */
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
  readonly headers: RestHeaders;
  readonly body: string;
}

/** Handles one REST request. */
export async function handleRest(ctx: RpcContext, request: RestRequest): Promise<HttpAnswer> {
  const { method, path } = request;
  try {
    return await run(ctx, method === 'HEAD' ? 'GET' : method, request);
  } catch (failure) {
    if (failure instanceof GrpcError) {
      // The SDK's gateway queries the application through ABCI, so the error of a missing state entry carries the ABCI
      // text.
      const message = failure.isOfStore ? failure.text : failure.message;
      return refusal(failure.code, message);
    }
    reportCrash(ctx, `${method} ${path}`, failure);
    return refusal(GRPC.internal, 'internal error');
  }
}
