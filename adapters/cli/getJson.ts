import { reasonOf } from '../disk/files.ts';
import { OperatingError } from '../operatingError.ts';

const TIMEOUT_MS = 10_000;
const ANSWER_CHARS_MAX = 16 * 1024 * 1024;

export interface JsonAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** `tcp://localhost:26657` → `http://localhost:26657`. A wildcard listen address becomes 127.0.0.1. */
export const httpUrl = (address: string): string =>
  /^https?:/.test(address)
    ? address.replace(/\/+$/, '')
    : `http://${address.replace(/^tcp:\/\//, '').replace(/^(0\.0\.0\.0|\[::\])?:/, '127.0.0.1:')}`;

/** GET request; the response must be JSON. Throws OperatingError if the node cannot be reached. */
export const getJson = (url: string, headers: Readonly<Record<string, string>> = {}): Promise<JsonAnswer> =>
  askJson(url, { headers });

/** POST request with a JSON body; otherwise like `getJson`. */
export const postJson = (url: string, body: unknown): Promise<JsonAnswer> =>
  askJson(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

async function askJson(url: string, init: RequestInit): Promise<JsonAnswer> {
  let text: string;
  let status: number;
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) });
    status = response.status;
    text = await response.text();
  } catch (error) {
    const cause = (error as { cause?: unknown }).cause ?? error;
    throw new OperatingError(`cannot ask ${url}: ${connectionReason(cause)}`);
  }
  if (text.length > ANSWER_CHARS_MAX) throw new OperatingError(`answer of ${url} is too long`);
  try {
    return { status, body: JSON.parse(text) };
  } catch {
    throw new OperatingError(`answer of ${url} is not JSON (status ${status})`);
  }
}

const connectionReason = (cause: unknown): string =>
  (cause as { code?: unknown }).code === 'ECONNREFUSED'
    ? 'connection refused; is the node running?'
    : reasonOf(cause);
