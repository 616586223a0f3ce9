import type { IncomingMessage } from 'node:http';

const UPGRADE_TOKENS: ReadonlySet<string> = new Set(['upgrade', 'http2-settings']);

export const asksForWebSocket = ({ headers }: IncomingMessage): boolean =>
  headers.upgrade?.trim().toLowerCase() === 'websocket';

/**
 * The head of a request as received, but without its upgrade headers. A server may ignore an upgrade and continue in
 * HTTP/1.1 (RFC 9110 7.8); Java's HttpClient offers HTTP/2 with every first request.
 */
export function withoutUpgrade({ method, url, httpVersion, rawHeaders }: IncomingMessage): Buffer {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = String(rawHeaders[i]);
    const value = String(rawHeaders[i + 1]);
    if (UPGRADE_TOKENS.has(name.toLowerCase())) continue;
    const kept = name.toLowerCase() === 'connection' ? otherTokens(value) : value;
    if (kept !== '' || value === '') lines.push(`${name}: ${kept}`);
  }
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
}

const otherTokens = (value: string): string =>
  value
    .split(',')
    .map((token) => token.trim())
    .filter((token) => !UPGRADE_TOKENS.has(token.toLowerCase()))
    .join(', ');
