import type { CryptoSuite } from '../../../core/crypto/suite.ts';
import { present } from '../../../core/lib/assert.ts';
import { toUpperHex } from '../../../core/lib/bytes.ts';
import type { RpcContext } from '../../../core/rpc/context.ts';
import { comet, fieldsOf, filledHeights, listOf, rest, unlike } from '../questions.ts';

/** More items than a page has by default, and the most that a page may have. */
const LARGE = 31;
const PAGE_MAX = 100;
/** The key of a list's first item, as an earlier page gives it. */
const KEY = `&pagination.key=${encodeURIComponent('AAAAAAAAAAA=')}`;

/** The total is in the answer if it is asked for or no page is, and not with the key of an earlier page. */
export async function wrongTotals(rpc: RpcContext): Promise<string | undefined> {
  const path = '/cosmos/auth/v1beta1/accounts';
  const whole = await rest(rpc, path);
  const { total, next_key } = fieldsOf(whole, 'pagination');
  const of = async (query: string): Promise<unknown> =>
    fieldsOf(await rest(rpc, path, `pagination.limit=1${query}`), 'pagination')['total'];
  const count = next_key === null ? String(listOf(whole, 'accounts').length) : total;
  return (
    unlike(`how many there are in ${path}`, total, count) ??
    unlike(`how many there are in ${path}, asked for one`, await of(''), '0') ??
    unlike(
      `how many there are in ${path}, asked for that`,
      await of('&pagination.count_total=true'),
      count,
    ) ??
    unlike(`how many there are in ${path}, not to be told`, await of('&pagination.count_total=false'), '0') ??
    unlike(`how many there are in ${path}, asked by key`, await of(`&pagination.count_total=true${KEY}`), '0')
  );
}

/** A large page has all that was asked for, up to the limit. Short chains are not checked. */
export async function wrongLargePages(rpc: RpcContext, { sha256 }: CryptoSuite): Promise<string | undefined> {
  const { chain } = rpc;
  const txs = filledHeights(chain).flatMap((height) => present(chain.block(height), 'a kept block').txs);
  const first = (count: number): readonly string[] => txs.slice(0, count).map((tx) => toUpperHex(sha256(tx)));
  if (txs.length < LARGE) return undefined;
  const query = `query=${encodeURIComponent('tx.height>0')}&order_by=ORDER_BY_ASC&page=1&limit=${LARGE}`;
  const shown = await rest(rpc, '/cosmos/tx/v1beta1/txs', query);
  const hashes = listOf(shown, 'tx_responses').map(({ txhash }) => txhash);
  const problem = unlike('a large page of transactions', hashes, first(LARGE));
  if (problem !== undefined) return problem;
  const asked = { query: 'tx.height>0', order_by: 'asc', page: '1', per_page: String(PAGE_MAX + 1) };
  const found = listOf(await comet(rpc, 'tx_search', asked), 'txs').map(({ hash }) => hash);
  return unlike('a page of tx_search that is too large', found, first(PAGE_MAX));
}
