import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { RpcContext } from '../../core/rpc/context.ts';
import { answerExplorer } from '../../core/rpc/explorer/api.ts';
import type { HttpAnswer } from '../../core/rpc/httpAnswer.ts';
import { OperatingError } from '../operatingError.ts';
import { packageRoot } from '../packageRoot.ts';

const PREFIX = '/explorer/';
const PAGE = 'index.html';
const API_PREFIX = 'api/';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/**
 * Only the page's own files run or load, and it connects only to the node that served it. Chain data that looks like
 * markup stays text, and a secret could not be sent anywhere.
 */
const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-cache',
};

export interface Explorer {
  /** undefined: the path does not belong to the explorer. */
  answer(path: string, query: string): Promise<HttpAnswer | undefined>;
}

/** Reads the page's files once; they are small. */
export function loadExplorer(ctx: RpcContext): Explorer {
  const folder = path.join(packageRoot(), 'adapters', 'explorer', 'static');
  if (!existsSync(path.join(folder, PAGE)))
    throw new OperatingError(`the explorer's files are missing: ${folder}`);
  const files = new Map<string, HttpAnswer>();
  for (const name of readdirSync(folder)) {
    const type = TYPES[path.extname(name)];
    if (type === undefined) continue;
    const body = readFileSync(path.join(folder, name), 'utf8');
    files.set(name, { status: 200, headers: { ...SECURITY_HEADERS, 'content-type': type }, body });
  }
  return {
    async answer(requested, query) {
      if (requested === PREFIX.slice(0, -1)) return redirect;
      if (!requested.startsWith(PREFIX)) return undefined;
      const name = requested.slice(PREFIX.length);
      if (name.startsWith(API_PREFIX)) {
        const answer = await answerExplorer(ctx, name.slice(API_PREFIX.length), query);
        return { ...answer, headers: { ...SECURITY_HEADERS, ...answer.headers } };
      }
      return files.get(name === '' ? PAGE : name);
    },
  };
}

const redirect: HttpAnswer = { status: 302, headers: { location: PREFIX }, body: '' };
