import type { RpcContext } from '../context.ts';

const known = new WeakMap<RpcContext, Map<string, Promise<void>>>();

/**
 * Runs the tasks of one name one after another (geth's AddrLocker). Requests run side by side: two that choose the next nonce of
 * an account must not both look before either is in the pool.
 */
export async function inTurn<T>(ctx: RpcContext, name: string, task: () => Promise<T>): Promise<T> {
  const turns = known.get(ctx) ?? new Map<string, Promise<void>>();
  known.set(ctx, turns);
  const before = turns.get(name) ?? Promise.resolve();
  const done = before.then(task);
  // Whoever is next does not care how it went.
  const over = done.then(
    () => {},
    () => {},
  );
  turns.set(name, over);
  try {
    return await done;
  } finally {
    if (turns.get(name) === over) turns.delete(name);
  }
}
