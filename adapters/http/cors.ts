import type { IncomingMessage, ServerResponse } from 'node:http';

/** Which pages of other origins may call from a browser. */
export interface CorsPolicy {
  /** Origins as browsers send them, or `*` for any. Empty: cross-origin calls are disabled. */
  readonly origins: readonly string[];
  readonly methods: readonly string[];
  /** Allowed request headers, or `*` for any. */
  readonly headers: readonly string[];
}

/** For JSON-RPC: any page, as in geth and similar nodes; there are no cookies to protect. */
export const ANY_ORIGIN: CorsPolicy = { origins: ['*'], methods: ['GET', 'POST', 'HEAD'], headers: ['*'] };

const PREFLIGHT_SECONDS = '86400';

/** Sets the CORS headers. Returns true if the request was a preflight, which is then answered. */
export function answerCors(policy: CorsPolicy, request: IncomingMessage, response: ServerResponse): boolean {
  if (policy.origins.length === 0) return false;
  const anyOrigin = policy.origins.includes('*');
  if (!anyOrigin) response.setHeader('vary', 'Origin');
  const { origin } = request.headers;
  if (origin === undefined) return false;
  const isAllowed = anyOrigin || policy.origins.includes(origin);
  if (isAllowed) response.setHeader('access-control-allow-origin', anyOrigin ? '*' : origin);
  const wanted = request.headers['access-control-request-method'];
  if (request.method !== 'OPTIONS' || wanted === undefined) return false;
  if (isAllowed && policy.methods.includes(wanted)) {
    response.setHeader('access-control-allow-methods', policy.methods.join(', '));
    const asked = request.headers['access-control-request-headers'];
    const headers = policy.headers.includes('*') ? asked : policy.headers.join(', ');
    if (headers !== undefined) response.setHeader('access-control-allow-headers', headers);
    response.setHeader('access-control-max-age', PREFLIGHT_SECONDS);
  }
  response.writeHead(204).end();
  return true;
}
