/** Pagination of cosmos.base.query.v1beta1. */

import { bigintToFixed, bytesToBigint } from '../../app/evm/numbers.ts';
import { bool, bytes, uint64Big } from '../../codec/fields.ts';
import { table } from '../../codec/proto.ts';
import { type Bytes, EMPTY } from '../../lib/bytes.ts';
import type { RpcContext } from '../context.ts';
import { GRPC, type GrpcCode, GrpcError } from './status.ts';

const LIMIT_DEFAULT = 100n;
const LIMIT_MAX = 1000n;
/** Positions that one page may examine. When most are left out, a page ends with fewer items than its limit. */
const LOOKS_MAX = 10_000;
/** Each may read a few trie nodes. */
const LOOKS_PER_PAUSE = 64;

export interface PageRequest {
  readonly key: Bytes;
  readonly offset: bigint;
  readonly limit: bigint;
  readonly countTotal: boolean;
  readonly reverse: boolean;
}
export const PAGE_REQUEST = table<PageRequest>('cosmos.base.query.v1beta1.PageRequest', [
  bytes(1, 'key', 64),
  uint64Big(2, 'offset'),
  uint64Big(3, 'limit'),
  bool(4, 'countTotal'),
  bool(5, 'reverse'),
]);

export interface PageResponse {
  readonly nextKey: Bytes;
  readonly total: bigint;
}
export const PAGE_RESPONSE = table<PageResponse>('cosmos.base.query.v1beta1.PageResponse', [
  bytes(1, 'nextKey', 64),
  uint64Big(2, 'total'),
]);

export interface Page<T> {
  readonly items: readonly T[];
  readonly page: PageResponse;
}

export const limitOf = (limit: bigint): bigint =>
  limit === 0n ? LIMIT_DEFAULT : limit > LIMIT_MAX ? LIMIT_MAX : limit;

/**
 * One page of a list of `count` positions. `at` returns the item at a position, or undefined to leave it out. The page
 * key is the position where the next page begins, so items appended in the meantime repeat nothing. Yields after each
 * look.
 */
function* looksFor<T>(
  request: PageRequest | undefined,
  count: bigint,
  at: (position: bigint) => T | undefined,
): Generator<void, Page<T>> {
  const { key = EMPTY, offset = 0n, limit = 0n, countTotal = false, reverse = false } = request ?? {};
  if (key.length > 0 && offset > 0n) {
    throw new GrpcError(GRPC.invalidArgument, 'invalid request, either offset or key is expected, got both');
  }
  const most = limitOf(limit);
  const items: T[] = [];
  const last = count - 1n;
  const first = key.length > 0 ? bytesToBigint(key) : reverse ? last - offset : offset;
  let next = reverse && first > last ? last : first;
  const isIn = (): boolean => next >= 0n && next < count;
  for (let looks = 0; isIn() && BigInt(items.length) < most && looks < LOOKS_MAX; looks++) {
    const item = at(next);
    next += reverse ? -1n : 1n;
    if (item !== undefined) items.push(item);
    yield;
  }
  // The SDK only counts for the first page: a client with a page key got the total before, if it asked.
  const isTold = key.length === 0 && (countTotal || limit === 0n);
  return {
    items,
    page: { nextKey: isIn() ? bigintToFixed(next, 8) : EMPTY, total: isTold ? count : 0n },
  };
}

/** A page of items that are looked up one by one. Pauses on the way. */
export async function pageOf<T>(
  { pause }: Pick<RpcContext, 'pause'>,
  request: PageRequest | undefined,
  count: bigint,
  at: (position: bigint) => T | undefined,
): Promise<Page<T>> {
  const looks = looksFor(request, count, at);
  for (let looked = 1; ; looked++) {
    const step = looks.next();
    if (step.done === true) return step.value;
    if (looked % LOOKS_PER_PAUSE === 0) await pause?.();
  }
}

/** CometBFT's error for a page beyond the list. Pages count from 1, and page 1 always exists. */
export function refusePageBeyond(code: GrpcCode, page: bigint, count: number, limit: bigint): void {
  const pages = count === 0 ? 1n : (BigInt(count) - 1n) / limit + 1n;
  if (page > pages) throw new GrpcError(code, `page should be within [1, ${pages}] range, given ${page}`);
}

/** A page of items that are at hand. */
export function listPage<T>(request: PageRequest | undefined, list: readonly T[]): Page<T> {
  const looks = looksFor(request, BigInt(list.length), (position) => list[Number(position)]);
  for (;;) {
    const step = looks.next();
    if (step.done === true) return step.value;
  }
}
