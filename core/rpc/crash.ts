import { AssertionError } from '../lib/assert.ts';
import { StorageFault } from '../lib/storageFault.ts';
import type { RpcContext } from './context.ts';

/**
 * A handler threw what no handler should. A broken invariant or a storage fault passes on to the server, which answers with an
 * internal error and tells the operator; anything else is answered by its own surface, and goes to the node's log.
 */
export function reportCrash(ctx: RpcContext, what: string, failure: unknown): void {
  if (failure instanceof AssertionError) throw failure;
  const text = failure instanceof Error ? (failure.stack ?? failure.message) : String(failure);
  noteError(ctx, `${what} crashed: ${text}`);
}

/**
 * The same for what goes on after its request was answered, such as telling the past. A storage fault ends that work
 * alone: the operator hears which record it is, and the caller tells the client.
 */
export function reportLost(ctx: RpcContext, what: string, failure: unknown): void {
  if (failure instanceof StorageFault) noteError(ctx, `${what}: ${failure.message}`);
  else reportCrash(ctx, what, failure);
}

const noteError = (ctx: RpcContext, text: string): void =>
  ctx.hub.publish({ kind: 'note', level: 'error', text });
