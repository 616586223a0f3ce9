import type { CryptoSuite } from '../../../core/crypto/suite.ts';
import { present } from '../../../core/lib/assert.ts';
import { toUpperHex } from '../../../core/lib/bytes.ts';
import type { RpcContext } from '../../../core/rpc/context.ts';
import { handleRest } from '../../../core/rpc/cosmos/rest.ts';
import type { Fields } from '../../clients/answers/answers.ts';
import { comet, fieldsOf, filledHeights, listOf, rest, unlike } from '../questions.ts';

/** More items than a page has by default, and the most that a page may have. */
const LARGE = 31;
const PAGE_MAX = 100;
/** The key of a list's first item, as an earlier page gives it. */
const KEY = `&pagination.key=${encodeURIComponent('AAAAAAAAAAA=')}`;

/** A place that no list reaches. */
const BEYOND = encodeURIComponent('//////////8=');
/** Codes of gRPC, and the status for the second. */
const [INTERNAL, EXHAUSTED, TOO_MANY_REQUESTS] = [13, 8, 429];

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
    unlike(
      `how many there are in ${path}, asked by key`,
      await of(`&pagination.count_total=true${KEY}`),
      '0',
    ) ??
    wrongBeyond(rpc, path)
  );
}

/** From a place beyond its end a list goes backwards from its last item, and forwards it has nothing. */
async function wrongBeyond(rpc: RpcContext, path: string): Promise<string | undefined> {
  const ask = async (more: string): Promise<unknown> =>
    (await rest(rpc, path, `pagination.limit=1${more}`))['accounts'];
  const backwards = '&pagination.reverse=true';
  const beyond = `&pagination.key=${BEYOND}`;
  const told = [await ask(backwards + beyond), await ask(beyond)];
  return unlike(`what is beyond ${path}, backwards and forwards`, told, [await ask(backwards), []]);
}

/**
 * The transactions of the fullest block fill one page, and there is no second. An answer that is too large is refused, but
 * a single transaction always has room.
 */
export async function wrongLastPages(rpc: RpcContext): Promise<string | undefined> {
  const { chain } = rpc;
  const countAt = (height: number): number => chain.block(height)?.txs.length ?? 0;
  const [height] = [...filledHeights(chain)].sort((a, b) => countAt(b) - countAt(a));
  if (height === undefined || countAt(height) > PAGE_MAX) return undefined;
  const path = '/cosmos/tx/v1beta1/txs';
  const query = `query=${encodeURIComponent(`tx.height=${height}`)}&limit=${countAt(height)}`;
  const whole = await rest(rpc, path, `${query}&page=1`);
  const after = await refusal(rpc, path, `${query}&page=2`);
  const limits = { ...rpc.limits, answerCharsMax: 1 };
  const crowded = await refusal({ ...rpc, limits }, path, query);
  return (
    unlike(`how many there are at ${height}`, listOf(whole, 'txs').length, countAt(height)) ??
    unlike('a page after the last', after, [500, INTERNAL]) ??
    (countAt(height) === 1
      ? undefined
      : unlike('what there is no room for', crowded, [TOO_MANY_REQUESTS, EXHAUSTED]))
  );
}

/** The status and the gRPC code. */
async function refusal(rpc: RpcContext, path: string, query: string): Promise<readonly unknown[]> {
  const { status, body } = await handleRest(rpc, { method: 'GET', path, query, headers: {}, body: '' });
  return [status, (JSON.parse(String(body)) as Fields)['code']];
}

/** A large page has all that was asked for, up to the limit. Short chains are not checked. */
export async function wrongLargePages(rpc: RpcContext, { sha256 }: CryptoSuite): Promise<string | undefined> {
  const { chain } = rpc;
  const txs = filledHeights(chain).flatMap((height) => present(chain.block(height), 'a kept block').txs);
  const first = (count: number): readonly string[] => txs.slice(0, count).map((tx) => toUpperHex(sha256(tx)));
  if (txs.length < LARGE) return undefined;
  const all = `query=${encodeURIComponent('tx.height>0')}&order_by=ORDER_BY_ASC&page=1`;
  const shown = await rest(rpc, '/cosmos/tx/v1beta1/txs', `${all}&limit=${LARGE}`);
  const hashes = listOf(shown, 'tx_responses').map(({ txhash }) => txhash);
  const wide = listOf(await rest(rpc, '/cosmos/tx/v1beta1/txs', `${all}&limit=1000`), 'tx_responses');
  const problem =
    unlike('a large page of transactions', hashes, first(LARGE)) ??
    unlike(
      'a page of transactions that is too large',
      wide.map(({ txhash }) => txhash),
      first(PAGE_MAX),
    );
  if (problem !== undefined) return problem;
  const asked = { query: 'tx.height>0', order_by: 'asc', page: '1', per_page: String(PAGE_MAX + 1) };
  const found = listOf(await comet(rpc, 'tx_search', asked), 'txs').map(({ hash }) => hash);
  return unlike('a page of tx_search that is too large', found, first(PAGE_MAX));
}
