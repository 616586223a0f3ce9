import type { IncomingMessage } from 'node:http';

export interface Target {
  /** Percent-encoded. */
  readonly path: string;
  /** Without `?`. */
  readonly query: string;
}

/**
 * The path and query of a request. A base URL with a trailing slash yields `//status`, which Go's routers redirect to
 * `/status`.
 */
export function targetOf({ url = '/' }: IncomingMessage): Target {
  const mark = url.indexOf('?');
  const path = mark === -1 ? url : url.slice(0, mark);
  return { path: cleanPath(path), query: mark === -1 ? '' : url.slice(mark + 1) };
}

/** Removes empty and dot segments; keeps a trailing slash. */
function cleanPath(path: string): string {
  const kept: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') kept.pop();
    else if (part !== '' && part !== '.') kept.push(part);
  }
  const clean = `/${kept.join('/')}`;
  return path.endsWith('/') && clean !== '/' ? `${clean}/` : clean;
}
