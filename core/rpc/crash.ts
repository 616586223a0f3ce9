import { AssertionError } from '../lib/assert.ts';
import { StorageFault } from '../lib/storageFault.ts';
import type { RpcContext } from './context.ts';

/**
 * Handles an unexpected error of a handler. A broken invariant or a storage fault is rethrown to the server, which
 * answers with an internal error and tells the operator. Any other error goes to the node's log, and the API answers
 * it.
 */
export function reportCrash(ctx: RpcContext, what: string, failure: unknown): void {
  if (failure instanceof AssertionError) throw failure;
  const text = failure instanceof Error ? (failure.stack ?? failure.message) : String(failure);
  noteError(ctx, `${what} crashed: ${text}`);
}

/**
 * Like reportCrash, for work that continues after its request was answered, such as a replay of past events. A storage
 * fault ends only that work: the log names the broken record, and the caller tells the client.
 */
export function reportLost(ctx: RpcContext, what: string, failure: unknown): void {
  if (failure instanceof StorageFault) noteError(ctx, `${what}: ${failure.message}`);
  else reportCrash(ctx, what, failure);
}

const noteError = (ctx: RpcContext, text: string): void =>
  ctx.hub.publish({ kind: 'note', level: 'error', text });
