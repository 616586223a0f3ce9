/** The state or block that a request names, including `pending`. Only `pending` is asynchronous. */
import type { EthBlock, View } from '../../app/chain.ts';
import type { PendingBlock } from '../../app/evmService.ts';
import { serverError } from '../rpcError.ts';
import { type BlockId, blockOf, viewOf } from './blockId.ts';
import type { EthCall } from './method.ts';

type At = Pick<EthCall, 'ctx' | 'services'>;

export const isPending = (id: BlockId | undefined): boolean => id?.kind === 'tag' && id.tag === 'pending';

/** Calls `use` with the state after a block; throws geth's error if there is none. */
export function withView<T>(
  { ctx, services }: At,
  id: BlockId,
  use: (view: View) => T,
): T | Promise<Awaited<T>> {
  if (!isPending(id)) return use(viewOf(ctx.chain, id));
  return services.pending().then(({ view }): Awaited<T> | PromiseLike<Awaited<T>> => use(view) as Awaited<T>);
}

/** Calls `use` with a block, or undefined if there is none. `isDraft`: it is the pending block. */
export function withBlock<T>(
  { ctx, services }: At,
  id: BlockId,
  use: (block: EthBlock | undefined, isDraft: boolean) => T,
): T | Promise<T> {
  if (!isPending(id)) return use(blockOf(ctx.chain, id), false);
  return services.pending().then(({ block }: PendingBlock) => use(block, true));
}

const nameOf = (id: Exclude<BlockId, { kind: 'hash' }>): string =>
  id.kind === 'tag' ? id.tag : id.number.toString();

/** Like withBlock, but throws geth's error if there is no such block. */
export function withKnownBlock<T>(at: At, id: BlockId, use: (block: EthBlock) => T): T | Promise<T> {
  return withBlock(at, id, (block) => {
    if (block !== undefined) return use(block);
    throw serverError(id.kind === 'hash' ? 'block not found' : `block #${nameOf(id)} not found`);
  });
}
