import { formatAddress } from '../../../core/address/kinds.ts';
import { present } from '../../../core/lib/assert.ts';
import { toBase64 } from '../../../core/lib/base64.ts';
import { hex, to0xHex } from '../../../core/lib/bytes.ts';
import type { RpcContext } from '../../../core/rpc/context.ts';
import { type Fields, quantity, shownLogs } from '../../clients/answers/answers.ts';
import type { Sha256 } from '../../reference/merkle.ts';
import { comet, eth, firstOf, heightsOf, rest, unlike } from '../questions.ts';
import { wrongBeforeFirst } from './beforeFirst.ts';
import { STRANGER } from './pretences.ts';

const NOBODY = `0x${'7d'.repeat(32)}`;
/** Number of recent heights that are searched. */
const RECENT = 10;
const SERVER_ERROR = -32000;
/** CometBFT's code for a method that fails. */
const INTERNAL = -32603;
/** gRPC status codes. */
const [INVALID_ARGUMENT, NOT_FOUND, UNIMPLEMENTED] = [3, 5, 12];
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

/**
 * Unknown names yield null or a refusal, block tags lead to the right blocks, and a log filter repeats all its logs.
 */
export async function wrongUnknown(rpc: RpcContext, sha256: Sha256): Promise<string | undefined> {
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
  return (
    (await wrongNobody(rpc)) ??
    (await wrongOther(rpc, sha256)) ??
    (await wrongFilter(rpc)) ??
    wrongBeforeFirst(rpc)
  );
}

/** A hash of one API is unknown in the other. */
async function wrongOther(rpc: RpcContext, sha256: Sha256): Promise<string | undefined> {
  const { chain } = rpc;
  const at = heightsOf(chain)
    .slice(-RECENT)
    .findLast((height) => (chain.ethBlock(height)?.transactions.length ?? 0) > 0);
  const height = at ?? chain.head();
  const block = chain.block(height);
  if (block === undefined) return undefined;
  const { hash, transactions } = present(chain.ethBlock(height), 'a kept block');
  const { blockId } = present(chain.blockMeta(height), 'a kept block');
  const told = {
    eth_getBlockByHash: await eth(rpc, 'eth_getBlockByHash', [to0xHex(blockId.hash), false]),
    block_by_hash: (await comet(rpc, 'block_by_hash', { hash: toBase64(hash) }))['block'],
    header_by_hash: (await comet(rpc, 'header_by_hash', { hash: to0xHex(hash).slice(2) }))['header'],
    eth_getTransactionByHash: await Promise.all(
      block.txs.map((tx) => eth(rpc, 'eth_getTransactionByHash', [to0xHex(sha256(tx))])),
    ),
    tx: await Promise.all(
      transactions.map(async (tx) => (await comet(rpc, 'tx', { hash: toBase64(tx.hash) }))['hash']),
    ),
  };
  const nothing = (list: readonly unknown[]) => list.map(() => null);
  return unlike('by the other face’s names', told, {
    eth_getBlockByHash: null,
    block_by_hash: null,
    header_by_hash: null,
    eth_getTransactionByHash: nothing(block.txs),
    tx: nothing(transactions),
  });
}

/** The SDK's API refuses with gRPC codes, and CometBFT's RPC with JSON-RPC codes. */
async function wrongNobody(rpc: RpcContext): Promise<string | undefined> {
  const { chain } = rpc;
  const name = formatAddress('acc', chain.hrp, hex(STRANGER.slice(2)));
  const after = String(chain.head() + 1);
  for (const [path, code] of [
    [`/cosmos/auth/v1beta1/accounts/${name}`, NOT_FOUND],
    [`/cosmos/auth/v1beta1/account_info/${name}`, NOT_FOUND],
    [`/cosmos/auth/v1beta1/address_by_id/${2n ** 63n}`, NOT_FOUND],
    [`/cosmos/tx/v1beta1/txs/${NOBODY.slice(2)}`, NOT_FOUND],
    [`/cosmos/bank/v1beta1/denoms_metadata/nothing`, NOT_FOUND],
    [`/cosmos/base/tendermint/v1beta1/blocks/${after}`, INVALID_ARGUMENT],
    [`/cosmos/base/tendermint/v1beta1/validatorsets/${after}`, INVALID_ARGUMENT],
    ['/cosmos/nothing/v1/at_all', UNIMPLEMENTED],
  ] as const) {
    const problem = unlike(`${path} with a refusal`, (await rest(rpc, path))['code'], code);
    if (problem !== undefined) return problem;
  }
  for (const [method, params] of [
    ['block', { height: after }],
    ['block_results', { height: after }],
    ['commit', { height: after }],
    ['validators', { height: String(chain.head() + 2) }],
    ['tx', { hash: toBase64(hex(NOBODY.slice(2))) }],
  ] as const) {
    const { refused } = await comet(rpc, method, params);
    const problem = unlike(
      `${method} of what nobody has`,
      (refused as Fields | undefined)?.['code'],
      INTERNAL,
    );
    if (problem !== undefined) return problem;
  }
  return undefined;
}

const FULL = /max limit of \d+ reached/;

/** eth_getFilterLogs answers the same however often it is asked. */
async function wrongFilter(rpc: RpcContext): Promise<string | undefined> {
  const { chain } = rpc;
  const from = heightsOf(chain).at(-10) ?? firstOf(chain);
  const logs = heightsOf(chain)
    .filter((height) => height >= from)
    .flatMap((height) => shownLogs(present(chain.ethBlock(height), 'a kept block')))
    .map(({ shown }) => shown);
  if (logs.length > rpc.limits.logsMax) return undefined;
  const filter = { fromBlock: quantity(from), toBlock: quantity(chain.head()) };
  const id = await eth(rpc, 'eth_newFilter', [filter]);
  // Clients of the scenario use all available filters.
  if (FULL.test(JSON.stringify(id))) return undefined;
  const told = [await eth(rpc, 'eth_getFilterLogs', [id]), await eth(rpc, 'eth_getFilterLogs', [id])];
  const news = await eth(rpc, 'eth_getFilterChanges', [id]);
  await eth(rpc, 'eth_uninstallFilter', [id]);
  return (
    unlike('eth_getFilterLogs', told, [logs, logs]) ?? unlike('eth_getFilterChanges of the past', news, [])
  );
}
