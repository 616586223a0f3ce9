/** Searches of the event index. */

import { TX_HASH_KEY } from '../../../events/eventModel.ts';
import type { EventSearch } from '../../../events/index/search.ts';
import { compileQuery, type Query } from '../../../events/query/query.ts';
import { encodeUtf8 } from '../../../lib/utf8.ts';
import { PageRoom } from '../../answerRoom.ts';
import type { RpcContext } from '../../context.ts';
import { mapPaused } from '../../mapPaused.ts';
import { serverError } from '../../rpcError.ts';
import { goHexBytes } from '../args.ts';
import { pageOf } from '../heights.ts';
import { QUERY_BYTES_MAX } from '../limits.ts';
import { type CometMethod, method } from '../method.ts';
import { txJson } from '../txJson.ts';
import { blockAnswer } from './blocks.ts';

function searchOf(ctx: RpcContext, what: 'transaction' | 'block'): EventSearch {
  const indexing = ctx.indexing ?? { kind: 'null' };
  if (indexing.kind === 'kv') return indexing.search;
  if (indexing.kind === 'null') throw serverError(`${what} indexing is disabled`);
  const indexer = what === 'block' ? 'BlockIndexer' : 'TxIndexer';
  throw serverError(`the ${indexer}.Search method is not supported`);
}

function queryOf(text: string): Query {
  if (encodeUtf8(text).length > QUERY_BYTES_MAX) throw serverError('maximum query length exceeded');
  const query = compileQuery(text);
  if (!query.ok) throw serverError(query.error);
  return query.value;
}

/** An invalid hash in the query is an error, not an empty result. */
function checkHash({ conditions }: Query): void {
  const asked = conditions.find(({ tag }) => tag === TX_HASH_KEY);
  if (asked === undefined) return;
  const hash = goHexBytes(asked.argument?.text ?? '');
  if (!hash.ok) throw serverError(`error during searching for a hash in the query: ${hash.error}`);
  if (hash.value.length === 0)
    throw serverError('error while retrieving the result: transaction hash cannot be empty');
}

/** `list` must be in ascending order. */
function ordered<T>(list: readonly T[], orderBy: string, fallback: 'asc' | 'desc'): readonly T[] {
  const order = orderBy === '' ? fallback : orderBy;
  if (order === 'asc') return list;
  if (order === 'desc') return [...list].reverse();
  throw serverError('expected order_by to be either `asc` or `desc` or empty');
}

/** Omits an item whose block was pruned after the search found it. */
const present = <T>(item: T | undefined): readonly T[] => (item === undefined ? [] : [item]);

export const searchMethods: readonly CometMethod[] = [
  method({
    method: 'tx_search',
    args: { query: 'string', prove: 'bool', page: 'int?', per_page: 'int?', order_by: 'string' },
    doc: 'Transactions with an event that meets the query.',
    run: async (ctx, { query, prove, page, per_page, order_by }) => {
      const search = searchOf(ctx, 'transaction');
      const asked = queryOf(query);
      checkHash(asked);
      const found = await search.txs(asked);
      if (!found.ok) throw serverError(found.error.message);
      const places = pageOf(ordered(found.value, order_by, 'asc'), page, per_page);
      const room = new PageRoom(ctx.limits, serverError);
      const shown = await mapPaused(ctx, places, (place) => txJson(ctx, place, prove, room));
      const txs = shown.flatMap(present);
      return { txs, total_count: String(found.value.length) };
    },
  }),
  method({
    method: 'block_search',
    args: { query: 'string', page: 'int?', per_page: 'int?', order_by: 'string' },
    doc: 'Blocks with an event that meets the query.',
    run: async (ctx, { query, page, per_page, order_by }) => {
      const found = await searchOf(ctx, 'block').blocks(queryOf(query));
      if (!found.ok) throw serverError(found.error.message);
      const heights = pageOf(ordered(found.value, order_by, 'desc'), page, per_page);
      const room = new PageRoom(ctx.limits, serverError);
      const shown = await mapPaused(ctx, heights, (height) => blockAnswer(ctx, height, room));
      const blocks = shown.filter(({ block }) => block !== null);
      return { blocks, total_count: String(found.value.length) };
    },
  }),
];
