import type { Height } from '../../types/ids.ts';
import type { RpcContext } from '../context.ts';
import { notAvailable } from '../notAvailable.ts';
import { serverError } from '../rpcError.ts';

/** The requested height: the latest if absent; an error if the node does not have it. */
export function resolveHeight(ctx: RpcContext, asked: bigint | undefined, latest: Height): Height {
  if (asked === undefined) return latest;
  if (asked <= 0n) throw serverError(`height must be greater than 0, but got ${asked}`);
  if (asked > BigInt(latest)) {
    throw serverError(
      `height ${asked} must be less than or equal to the current blockchain height ${latest}`,
    );
  }
  const height = Number(asked);
  const base = ctx.chain.base();
  if (height < base) throw serverError(notAvailable(height, base));
  return height;
}

const PER_PAGE_DEFAULT = 30n;
export const PER_PAGE_MAX = 100n;

export function perPageOf(asked: bigint | undefined): number {
  if (asked === undefined || asked < 1n) return Number(PER_PAGE_DEFAULT);
  return Number(asked > PER_PAGE_MAX ? PER_PAGE_MAX : asked);
}

/** One page of a list; pages count from 1. */
export function pageOf<T>(
  items: readonly T[],
  page: bigint | undefined,
  perPage: bigint | undefined,
): readonly T[] {
  const size = perPageOf(perPage);
  const pages = Math.max(1, Math.ceil(items.length / size));
  const wanted = page ?? 1n;
  if (wanted < 1n || wanted > BigInt(pages)) {
    throw serverError(`page should be within [1, ${pages}] range, given ${wanted}`);
  }
  return items.slice((Number(wanted) - 1) * size, Number(wanted) * size);
}
