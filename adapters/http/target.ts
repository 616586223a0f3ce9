import type { IncomingMessage } from 'node:http';

export interface Target {
  /** Percent-encoded. */
  readonly path: string;
  /** Without `?`. */
  readonly query: string;
}

/** What a request asks for. A base URL with a slash at its end makes `//status`, which Go's routers send to `/status`. */
export function targetOf({ url = '/' }: IncomingMessage): Target {
  const mark = url.indexOf('?');
  const path = mark === -1 ? url : url.slice(0, mark);
  return { path: cleanPath(path), query: mark === -1 ? '' : url.slice(mark + 1) };
}

/** Without empty and dotted parts; a slash at the end stays. */
function cleanPath(path: string): string {
  const kept: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') kept.pop();
    else if (part !== '' && part !== '.') kept.push(part);
  }
  const clean = `/${kept.join('/')}`;
  return path.endsWith('/') && clean !== '/' ? `${clean}/` : clean;
}
