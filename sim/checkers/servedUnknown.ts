import { present } from '../../core/lib/assert.ts';
import { to0xHex } from '../../core/lib/bytes.ts';
import type { RpcContext } from '../../core/rpc/context.ts';
import { type Fields, quantity, shownLogs } from '../answers.ts';
import { eth, firstOf, heightsOf, unlike } from './questions.ts';

const NOBODY = `0x${'7d'.repeat(32)}`;
const STRANGER = `0x${'5e'.repeat(20)}`;
const SERVER_ERROR = -32000;
const NOTHING: readonly (readonly [method: string, params: readonly unknown[], name: string])[] = [
  ['eth_getBlockByHash', [NOBODY, false], 'a block'],
  ['eth_getHeaderByHash', [NOBODY], 'a header'],
  ['eth_getBlockReceipts', [NOBODY], 'receipts'],
  ['eth_getBlockTransactionCountByHash', [NOBODY], 'a count'],
  ['eth_getUncleCountByBlockHash', [NOBODY], 'uncles'],
  ['eth_getTransactionByBlockHashAndIndex', [NOBODY, '0x0'], 'a transaction by its place'],
  ['eth_getTransactionByHash', [NOBODY], 'a transaction'],
  ['eth_getTransactionReceipt', [NOBODY], 'a receipt'],
];

/** What nobody has is nothing or is refused, the newest block has several names, and a filter tells the whole of it again. */
export async function wrongUnknown(rpc: RpcContext): Promise<string | undefined> {
  const { chain } = rpc;
  const head = present(chain.ethBlock(chain.head()), 'the head');
  const after = quantity(head.header.number + 1);
  for (const [method, params, name] of [
    ...NOTHING,
    ['eth_getBlockByNumber', [after, false], 'the next block'] as const,
    ['eth_getBlockReceipts', [after], 'the next receipts'] as const,
  ]) {
    const problem = unlike(`${name} that nobody has`, await eth(rpc, method, params), null);
    if (problem !== undefined) return problem;
  }
  for (const [method, params] of [
    ['eth_getLogs', [{ blockHash: NOBODY }]],
    ['eth_getBalance', [STRANGER, NOBODY]],
    ['eth_getBalance', [STRANGER, after]],
    ['eth_getProof', [STRANGER, [], NOBODY]],
    ['debug_traceTransaction', [NOBODY]],
  ] as const) {
    const told = (await eth(rpc, method, params)) as { readonly refused?: Fields };
    const problem = unlike(`${method} of what nobody has`, told?.refused?.['code'], SERVER_ERROR);
    if (problem !== undefined) return problem;
  }
  for (const [tag, block] of [
    ['safe', head],
    ['finalized', head],
    ['latest', head],
    ['earliest', chain.ethBlock(0) ?? present(chain.ethBlock(firstOf(chain)), 'the first block')],
  ] as const) {
    const told = (await eth(rpc, 'eth_getBlockByNumber', [tag, false])) as Fields | null;
    const problem = unlike(`the ${tag} block`, told?.['hash'], to0xHex(block.hash));
    if (problem !== undefined) return problem;
  }
  return wrongFilter(rpc);
}

const FULL = /max limit of \d+ reached/;

/** However often it is asked. */
async function wrongFilter(rpc: RpcContext): Promise<string | undefined> {
  const { chain } = rpc;
  const from = heightsOf(chain).at(-10) ?? firstOf(chain);
  const logs = heightsOf(chain)
    .filter((height) => height >= from)
    .flatMap((height) => shownLogs(present(chain.ethBlock(height), 'a kept block')))
    .map(({ shown }) => shown);
  const filter = { fromBlock: quantity(from), toBlock: quantity(chain.head()) };
  const id = await eth(rpc, 'eth_newFilter', [filter]);
  // Its clients have taken all there is room for.
  if (FULL.test(JSON.stringify(id))) return undefined;
  const told = [await eth(rpc, 'eth_getFilterLogs', [id]), await eth(rpc, 'eth_getFilterLogs', [id])];
  const news = await eth(rpc, 'eth_getFilterChanges', [id]);
  await eth(rpc, 'eth_uninstallFilter', [id]);
  return (
    unlike('eth_getFilterLogs', told, [logs, logs]) ?? unlike('eth_getFilterChanges of the past', news, [])
  );
}
