import { AssertionError } from '../lib/assert.ts';
import type { RpcContext } from './context.ts';

/**
 * A handler threw what no handler should. A broken invariant or a storage fault passes on to the root, where the
 * process stops; anything else must not let one client's request take the node along: it goes to the node's log.
 */
export function reportCrash(ctx: RpcContext, what: string, failure: unknown): void {
  if (failure instanceof AssertionError) throw failure;
  const text = failure instanceof Error ? (failure.stack ?? failure.message) : String(failure);
  ctx.hub.publish({ kind: 'note', level: 'error', text: `${what} crashed: ${text}` });
}
