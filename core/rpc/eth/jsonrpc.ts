import { ExecutionAborted } from '../../app/guard.ts';
import type { RpcContext } from '../context.ts';
import { reportCrash } from '../crash.ts';
import { isArray, isObject, type Json, parseJson, renderJson } from '../jsonText.ts';
import { CODES, RpcError, serverError } from '../rpcError.ts';
import type { EthCall, Notifier } from './method.ts';
import { ethServices } from './services.ts';
import { findMethod } from './table.ts';

const METHOD_NAME_LENGTH_MAX = 2048;

/** One message, like geth's jsonrpcMessage: members of the wrong type count as absent. */
interface Message {
  readonly version: string;
  /** JSON text of the id, `null` included; undefined when absent. Never an object or array. */
  readonly id: string | undefined;
  readonly hasInvalidId: boolean;
  readonly method: string;
  readonly params: Json | undefined;
  readonly isResponse: boolean;
}

interface Reply {
  readonly text: string;
  /** Length of the result alone; the batch limit counts this. */
  readonly resultLength: number;
}

function toMessage(value: Json, transport: 'http' | 'ws'): Message {
  const object = isObject(value) ? value : new Map<string, Json>();
  const id = object.get('id');
  const hasInvalidId = isObject(id) || isArray(id);
  const version = object.get('jsonrpc');
  const method = object.get('method');
  const named = typeof method === 'string' ? method : '';
  // The specification's websocket example omits `jsonrpc`.
  const assumed = transport === 'ws' && version === undefined && isObject(value) ? '2.0' : '';
  return {
    version: typeof version === 'string' ? version : assumed,
    id: id === undefined || hasInvalidId ? undefined : renderJson(id),
    hasInvalidId,
    method: named,
    params: object.get('params'),
    isResponse: named === '' && !object.has('params') && (object.has('result') || object.has('error')),
  };
}

const withResult = (id: string, result: string): Reply => ({
  text: `{"jsonrpc":"2.0","id":${id},"result":${result}}`,
  resultLength: result.length,
});

function withError(id: string | undefined, error: RpcError): Reply {
  const { code, message, data } = error;
  const body = JSON.stringify({ code, message, ...(data === undefined ? {} : { data }) });
  return { text: `{"jsonrpc":"2.0","id":${id ?? 'null'},"error":${body}}`, resultLength: 0 };
}

const invalidRequest = (message: string): RpcError => new RpcError(CODES.invalidRequest, message);

/** Runs the method and returns the JSON text of its result. Throws only RpcError. */
async function runMethod(call: EthCall, message: Message): Promise<string> {
  const { method, params } = message;
  if (method.length > METHOD_NAME_LENGTH_MAX) {
    throw invalidRequest(`method name too long: ${method.length} > ${METHOD_NAME_LENGTH_MAX}`);
  }
  const row = findMethod(method, call.ctx.limits.namespaces);
  if (row === undefined) {
    throw new RpcError(CODES.methodNotFound, `the method ${method} does not exist/is not available`);
  }
  try {
    return JSON.stringify((await row.run(call, params)) ?? null);
  } catch (failure) {
    if (failure instanceof RpcError) throw failure;
    // geth's timeout text for tracers differs from that for calls.
    if (failure instanceof ExecutionAborted)
      throw serverError(method.startsWith('debug_') ? 'execution timeout' : failure.message);
    reportCrash(call.ctx, method, failure);
    throw new RpcError(CODES.internal, 'method handler crashed');
  }
}

/** undefined when no response is due: for a notification, or a response from the client. */
async function answer(call: EthCall, message: Message): Promise<Reply | undefined> {
  const { version, id, method, hasInvalidId } = message;
  const valid = version === '2.0' && method !== '';
  if (version === '2.0' && id !== undefined && message.isResponse) return undefined;
  if (!valid || hasInvalidId) return withError(id, invalidRequest('invalid request'));
  try {
    const result = await runMethod(call, message);
    return id === undefined ? undefined : withResult(id, result);
  } catch (failure) {
    if (!(failure instanceof RpcError)) throw failure;
    return id === undefined ? undefined : withError(id, failure);
  }
}

const RESPONSE_TOO_LARGE = new RpcError(CODES.responseTooLarge, 'response too large');

/** Answers with the id of the first call. Looks no further, as a body has room for millions of entries. */
function refuseBatch(entries: readonly Json[], transport: 'http' | 'ws'): string {
  const refusal = invalidRequest('batch too large');
  for (const entry of entries) {
    const { id } = toMessage(entry, transport);
    if (id !== undefined) return `[${withError(id, refusal).text}]`;
  }
  return `[${withError(undefined, refusal).text}]`;
}

/**
 * Runs the calls one after another, with a pause after each: a thousand may read a block each. After the response limit
 * is exceeded, the remaining calls fail without running.
 */
async function answerBatch(call: EthCall, entries: readonly Json[]): Promise<string | undefined> {
  const { batchMax, batchResponseBytesMax } = call.ctx.limits;
  if (entries.length === 0) return withError(undefined, invalidRequest('empty batch')).text;
  if (batchMax > 0 && entries.length > batchMax) return refuseBatch(entries, call.transport);
  const replies: string[] = [];
  let bytes = 0;
  for (const entry of entries) {
    const message = toMessage(entry, call.transport);
    const full = batchResponseBytesMax > 0 && bytes > batchResponseBytesMax;
    const reply = full ? refused(message) : await answer(call, message);
    await call.ctx.pause?.();
    if (reply === undefined) continue;
    bytes += reply.resultLength;
    replies.push(reply.text);
  }
  return replies.length === 0 ? undefined : `[${replies.join(',')}]`;
}

const refused = (message: Message): Reply | undefined =>
  message.id === undefined || message.isResponse ? undefined : withError(message.id, RESPONSE_TOO_LARGE);

/**
 * Answers one HTTP body or websocket frame exactly like geth's rpc package. Returns the response text,
 * or undefined if there is none. Never throws because of the client's input. `notifier` manages subscriptions.
 */
export async function handleEthRequest(
  ctx: RpcContext,
  body: string,
  transport: 'http' | 'ws',
  notifier?: Notifier,
): Promise<string | undefined> {
  const parsed = parseJson(body);
  if (!parsed.ok) return withError(undefined, new RpcError(CODES.parse, 'parse error')).text;
  const call: EthCall = { ctx, transport, notifier, services: ethServices(ctx) };
  const { value } = parsed;
  if (isArray(value)) return answerBatch(call, value);
  return (await answer(call, toMessage(value, transport)))?.text;
}
