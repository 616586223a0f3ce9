/** Requests and replies of CometBFT's JSON-RPC (rpc/jsonrpc/types). */
import { compareText } from '../../lib/bytes.ts';
import { err, ok, type Result } from '../../lib/result.ts';
import type { RpcContext } from '../context.ts';
import { reportCrash } from '../crash.ts';
import { goKind, goTypeError } from '../eth/goHex.ts';
import { fieldOf, goJson, isArray, isObject, type Json, JsonNumber, parseJson } from '../jsonText.ts';
import { CODES, RpcError } from '../rpcError.ts';

/** JSON text of a request id; undefined when the request has none. */
export type IdText = string | undefined;

export const URI_ID: IdText = '-1';

export interface CometRequest {
  /** undefined marks a notification, which gets no response. */
  readonly id: IdText;
  readonly method: string;
  readonly params: Json | undefined;
}

export const MESSAGES = {
  [CODES.parse]: 'Parse error. Invalid JSON',
  [CODES.invalidRequest]: 'Invalid Request',
  [CODES.methodNotFound]: 'Method not found',
  [CODES.invalidParams]: 'Invalid params',
  [CODES.internal]: 'Internal error',
  [CODES.server]: 'Server error',
} as const;

/** Go's `%v` text of a JSON value. */
function goPrint(value: Json): string {
  if (value === null) return '<nil>';
  if (isArray(value)) return `[${value.map(goPrint).join(' ')}]`;
  if (!isObject(value)) return value instanceof JsonNumber ? value.text : String(value);
  const members = [...value].sort(([a], [b]) => compareText(a, b));
  return `map[${members.map(([name, member]) => `${name}:${goPrint(member)}`).join(' ')}]`;
}

function goTypeOf(value: Json): string {
  if (isArray(value)) return '[]interface {}';
  return isObject(value) ? 'map[string]interface {}' : 'bool';
}

const [INT64_MIN, INT64_END] = [-(2 ** 63), 2 ** 63];

/** Go's `int(number)`: without its fraction. What has no room in 64 bits is the least number, as on amd64. */
const goInt = (number: number): string =>
  BigInt(number >= INT64_MIN && number < INT64_END ? Math.trunc(number) : INT64_MIN).toString();

/** Go reads a number as a double, and then converts it to a whole one. */
function idText(value: Json): Result<IdText, string> {
  if (value === null) return ok(undefined);
  if (typeof value === 'string') return ok(goJson(value));
  if (value instanceof JsonNumber) {
    const number = Number(value.text);
    if (Number.isFinite(number)) return ok(goInt(number));
    return err(`json: cannot unmarshal number ${value.text} into Go struct field .id of type float64`);
  }
  return err(`json-rpc ID (${goPrint(value)}) is of unknown type (${goTypeOf(value)})`);
}

const REQUEST_TYPE =
  'struct { JSONRPC string "json:\\"jsonrpc\\""; ID interface {} "json:\\"id,omitempty\\""; ' +
  'Method string "json:\\"method\\""; Params json.RawMessage "json:\\"params\\"" }';

/** Error for a body that is neither a request nor a list of requests. */
export const notARequest = (value: Json): string =>
  `error unmarshaling request: ${goTypeError(goKind(value), REQUEST_TYPE, undefined)}`;

/**
 * Reads one request object; null counts as a notification without a method. Any other value makes the whole body
 * invalid.
 */
export function readRequest(value: Json): Result<CometRequest, string> {
  if (value === null) return ok({ id: undefined, method: '', params: undefined });
  if (!isObject(value)) return err(notARequest(value));
  for (const name of ['jsonrpc', 'method']) {
    const text = fieldOf(value, name);
    if (text !== null && typeof text !== 'string')
      return err(`error unmarshaling request: ${goTypeError(goKind(text), 'string', `.${name}`)}`);
  }
  const method = fieldOf(value, 'method');
  const id = idText(fieldOf(value, 'id'));
  return id.ok
    ? ok({
        id: id.value,
        method: typeof method === 'string' ? method : '',
        params: fieldOf(value, 'params') ?? undefined,
      })
    : err(`error unmarshaling request: ${id.error}`);
}

/** Reads a websocket frame with one request. */
export function parseRequest(text: string): Result<CometRequest, string> {
  const parsed = parseJson(text);
  return parsed.ok ? readRequest(parsed.value) : err(`error unmarshaling request: ${parsed.error.message}`);
}

const opening = (id: IdText): string =>
  id === undefined ? '{"jsonrpc":"2.0",' : `{"jsonrpc":"2.0","id":${id},`;

/** A result that is JSON text already. */
export class RenderedResult {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

const textOf = (result: unknown): string =>
  result instanceof RenderedResult ? result.text : goJson(result ?? null);

export const resultText = (id: IdText, result: unknown): string =>
  `${opening(id)}"result":${textOf(result)}}`;

export function errorText(id: IdText, code: keyof typeof MESSAGES, data: string): string {
  const error = { code, message: MESSAGES[code], ...(data === '' ? {} : { data }) };
  return `${opening(id)}"error":${goJson(error)}}`;
}

export type Outcome =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly data: string };

/** Runs a handler. An RpcError becomes the answer; any other error is logged and answered as an internal error. */
export async function outcomeOf(ctx: RpcContext, name: string, run: () => unknown): Promise<Outcome> {
  try {
    return { ok: true, value: await run() };
  } catch (failure) {
    if (failure instanceof RpcError) return { ok: false, data: failure.message };
    reportCrash(ctx, name, failure);
    return { ok: false, data: 'internal error' };
  }
}
