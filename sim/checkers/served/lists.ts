import type { CryptoSuite } from '../../../core/crypto/suite.ts';
import { toUpperHex } from '../../../core/lib/bytes.ts';
import type { RpcContext } from '../../../core/rpc/context.ts';
import type { Fields } from '../../clients/answers/answers.ts';
import {
  comet,
  filledHeights,
  firstOf,
  heightsOf,
  listOf,
  PAGE,
  rest,
  unlike,
  withoutLimits,
} from '../questions.ts';

/** block_search lists all blocks, newest first by default, and in both orders. */
export async function wrongBlocks(rpc: RpcContext): Promise<string | undefined> {
  const first = firstOf(rpc.chain);
  const heights = heightsOf(rpc.chain).map(String);
  const newest = [...heights].reverse();
  for (const [order_by, page, all] of [
    ['', 1, newest],
    ['desc', 2, newest],
    ['asc', 1, heights],
  ] as const) {
    const wanted = all.slice((page - 1) * PAGE, page * PAGE);
    if (wanted.length === 0) continue;
    const asked = { query: `block.height>=${first}`, order_by, page: String(page), per_page: String(PAGE) };
    const answer = await comet(withoutLimits(rpc), 'block_search', asked);
    const told = listOf(answer, 'blocks').map(({ block }) => (block as { header: Fields }).header['height']);
    const problem =
      unlike(`block_search in order '${order_by}', page ${page},`, told, wanted) ??
      unlike('how many blocks there are', answer['total_count'], String(all.length));
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** All transactions in both orders, in pages. */
export async function wrongTxs(rpc: RpcContext, { sha256 }: CryptoSuite): Promise<string | undefined> {
  const { chain } = rpc;
  const hashes: string[] = [];
  for (const height of filledHeights(chain))
    hashes.push(...(chain.block(height)?.txs ?? []).map((tx) => toUpperHex(sha256(tx))));
  const order = { ASC: hashes, DESC: [...hashes].reverse() };
  for (const [direction, all] of Object.entries(order))
    for (const page of [1, 2]) {
      const wanted = all.slice((page - 1) * PAGE, page * PAGE);
      // The first page exists even if it is empty; any other empty page is refused.
      if (page > 1 && wanted.length === 0) continue;
      const asked = `query=${encodeURIComponent('tx.height>0')}&order_by=ORDER_BY_${direction}&page=${page}&limit=${PAGE}`;
      const answer = await rest(rpc, '/cosmos/tx/v1beta1/txs', asked);
      const told = listOf(answer, 'tx_responses').map(({ txhash }) => txhash);
      const problem =
        unlike(`page ${page} of transactions ${direction}`, told, wanted) ??
        unlike('how many transactions there are', answer['total'], String(hashes.length));
      if (problem !== undefined) return problem;
    }
  const unsaid = await rest(rpc, '/cosmos/tx/v1beta1/txs', `query=${encodeURIComponent('tx.height>0')}`);
  const shown = listOf(unsaid, 'tx_responses').map(({ txhash }) => txhash);
  return (
    unlike('transactions in no order', shown.slice(0, PAGE), hashes.slice(0, PAGE)) ??
    (await wrongOrders(rpc, hashes)) ??
    wrongFound(rpc, hashes)
  );
}

/** tx_search lists the oldest first by default. */
async function wrongOrders(rpc: RpcContext, hashes: readonly string[]): Promise<string | undefined> {
  const newest = [...hashes].reverse();
  for (const [order_by, page, all] of [
    ['', 1, hashes],
    ['asc', 2, hashes],
    ['desc', 1, newest],
  ] as const) {
    const wanted = all.slice((page - 1) * PAGE, page * PAGE);
    if (wanted.length === 0) continue;
    const asked = { query: 'tx.height>0', order_by, page: String(page), per_page: String(PAGE) };
    const told = listOf(await comet(rpc, 'tx_search', asked), 'txs').map(({ hash }) => hash);
    const problem = unlike(`tx_search in order '${order_by}', page ${page},`, told, wanted);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** A search counts all its matches whatever page is requested, and a search by hash finds one. */
async function wrongFound(rpc: RpcContext, hashes: readonly string[]): Promise<string | undefined> {
  for (const [query, all] of [
    ['tx.height>0', hashes],
    [`tx.hash='${hashes.at(-1)}'`, hashes.slice(-1)],
  ] as const) {
    if (all.length === 0) continue;
    const answer = await comet(rpc, 'tx_search', { query, order_by: 'asc', per_page: '1' });
    const told = listOf(answer, 'txs').map(({ hash }) => hash);
    const problem =
      unlike(`tx_search of ${query}`, told, all.slice(0, 1)) ??
      unlike(`how many tx_search of ${query} finds`, answer['total_count'], String(all.length));
    if (problem !== undefined) return problem;
  }
  return undefined;
}
